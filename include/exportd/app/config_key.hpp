#pragma once

#include <exportd/app/config.hpp>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

namespace exportd::app {

// The member of a config that a key fills.
template <class T>
using config_member = T& (*)(config&);

// What a key's value is, where it goes and its bounds, both inclusive.

struct duration_value {
    config_member<std::chrono::milliseconds> at;
    std::chrono::milliseconds min;
    std::chrono::milliseconds max;
};

struct short_duration_value {
    config_member<std::chrono::microseconds> at;
    std::chrono::microseconds min;
    std::chrono::microseconds max;
};

struct size_value {
    config_member<std::uint64_t> at;
    std::uint64_t min;
    std::uint64_t max;
};

struct count_value {
    config_member<std::uint64_t> at;
    std::uint64_t min;
    std::uint64_t max;
};

struct ratio_value {
    config_member<double> at;
    double min;
    double max;
};

struct text_value {
    config_member<std::string> at;
    bool optional = false;  // may be empty, which is "not set"
};

struct path_value {
    config_member<std::filesystem::path> at;
    bool optional = false;  // may be empty, which is "not set"
};

struct endpoint_value {
    config_member<boost::asio::ip::tcp::endpoint> at;
};

struct choice_value {
    bool (*set)(config& c, std::string_view word);  // false: no such word
    std::string_view words;                         // for messages
};

struct flag_value {
    config_member<bool> at;
};

using config_value =
    std::variant<duration_value, short_duration_value, size_value, count_value, ratio_value,
                 text_value, path_value, endpoint_value, choice_value, flag_value>;

// One key of the configuration. The table of these is the only place that knows names, defaults,
// bounds and meanings.
struct config_key {
    std::string_view section;
    std::string_view name;
    std::string_view fallback;  // the default, as its text stands in the file, without quotes
    config_value value;
    std::string_view meaning;  // one sentence, as it stands in config/exportd.toml
    bool secret = false;       // may come from a file named by ..._FILE; never printed

    std::string path() const;      // "server.listen"
    std::string variable() const;  // "EXPORTD_SERVER_LISTEN"
};

// Every key, grouped by section.
std::span<const config_key> config_keys();

// Whether the file holds the value as a TOML integer, float (or integer) or boolean; all others are
// TOML strings.
bool is_count(const config_key& key);
bool is_ratio(const config_key& key);
bool is_flag(const config_key& key);

// What a right value looks like, to follow "expected ".
std::string expectation(const config_key& key);

// Reads `text` into the member of `c`. False, and nothing set, if it is not what expectation()
// says.
bool assign(config& c, const config_key& key, std::string_view text);

}  // namespace exportd::app
