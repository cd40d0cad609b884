#include <exportd/access/policy.hpp>
#include <exportd/access/token.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <toml++/toml.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace exportd::access {
namespace {

using clock = policy::clock;

std::string read_text(const std::filesystem::path& path) {
    std::ifstream in{path, std::ios::binary};
    if (!in) throw std::runtime_error{path.string() + ": cannot be read"};
    return {std::istreambuf_iterator<char>{in}, {}};
}

// Whoever may write it may let anybody in.
void refuse_shared(const std::filesystem::path& path) {
    struct stat info {};
    if (::stat(path.c_str(), &info) == 0 && (info.st_mode & S_IWOTH) != 0)
        throw std::runtime_error{path.string() + ": everybody may write it; expected mode 0640"};
}

std::optional<std::chrono::days> read_days(std::string_view text) {
    constexpr int most = 36'600;
    if (!text.ends_with('d')) return std::nullopt;
    int count = 0;
    const auto* end = text.data() + text.size() - 1;
    const auto parsed = std::from_chars(text.data(), end, count);
    if (parsed.ec != std::errc{} || parsed.ptr != end || count < 1 || count > most)
        return std::nullopt;
    return std::chrono::days{count};
}

// The clock's nanoseconds reach from 1678 to 2262.
constexpr int first_year = 1970;
constexpr int last_year = 2200;

clock::time_point to_instant(const toml::date_time& t) {
    using namespace std::chrono;
    const auto date = year{t.date.year} / month{t.date.month} / day{t.date.day};
    return sys_days{date} + hours{t.time.hour} + minutes{t.time.minute} + seconds{t.time.second} -
           minutes{t.offset->minutes};
}

}  // namespace

// Fills a policy from a parsed file and keeps what is wrong, with its line. No value of the file
// gets into a message: it may be a token that was pasted instead of its digest.
class policy_file {
public:
    // `known`: null for any name.
    policy_file(const std::filesystem::path& file, const std::set<std::string>* known)
        : file_{file}, known_{known} {}

    policy read(const toml::table& root) {
        for (const auto& [key, node] : root) {
            const bool tokens = key.str() == "tokens";
            if (!tokens && key.str() != "groups") {
                fault(node, "unknown key; expected [[tokens]] and [[groups]]");
                continue;
            }
            const auto* list = node.as_array();
            if (list == nullptr) fault(node, fmt::format("expected [[{}]]", key.str()));
            for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) {
                const auto* entry = list->get(i)->as_table();
                if (entry == nullptr) {
                    fault(*list->get(i), fmt::format("expected [[{}]]", key.str()));
                } else if (tokens) {
                    read_token(*entry);
                } else {
                    read_group(*entry);
                }
            }
        }
        if (!faults_.empty()) throw std::runtime_error{fmt::format("{}", fmt::join(faults_, "\n"))};
        return std::move(result_);
    }

private:
    void fault(const toml::node& node, std::string_view message) {
        faults_.push_back(
            fmt::format("{}:{}: {}", file_.string(), node.source().begin.line, message));
    }

    // The entry's name, and its grant; other keys than these and `more` are unknown.
    std::string read_common(const toml::table& entry, const std::set<std::string_view>& more,
                            grant& may) {
        const auto name = entry["name"].value_exact<std::string>();
        if (!name || !(is_token_name(*name) || (more.empty() && *name == "*"))) {
            fault(entry,
                  "name: expected 1 to 64 letters, digits, dots, hyphens, underscores and @");
        }
        for (const auto& [key, node] : entry) {
            if (key.str() == "exports") {
                read_exports(node, may);
            } else if (key.str() == "raw") {
                const auto raw = node.value_exact<bool>();
                if (!raw) fault(node, "raw: expected true or false");
                may.raw = raw.value_or(false);
            } else if (key.str() == "max_range") {
                const auto text = node.value_exact<std::string_view>();
                if (text) may.max_range = read_days(*text);
                if (!may.max_range) fault(node, "max_range: expected days, such as \"92d\"");
            } else if (key.str() != "name" && !more.contains(key.str())) {
                fault(node, fmt::format("{}: no such key", key.str()));
            }
        }
        if (may.exports.empty() && !entry.contains("exports"))
            fault(entry, "exports: expected a list of names, or [\"*\"]");
        return name.value_or("");
    }

    void read_exports(const toml::node& node, grant& may) {
        const auto* list = node.as_array();
        if (list == nullptr) {
            fault(node, "exports: expected a list of names, or [\"*\"]");
            return;
        }
        for (const auto& item : *list) {
            const auto name = item.value_exact<std::string>();
            if (name && (*name == "*" || known_ == nullptr || known_->contains(*name))) {
                may.exports.insert(*name);
            } else {
                fault(item, "exports: there is no such export");
            }
        }
    }

    void read_token(const toml::table& entry) {
        token_entry token;
        token.name = read_common(entry, {"sha256", "expires"}, token.may);
        const auto text = entry["sha256"].value_exact<std::string_view>();
        const auto digest = text ? parse_digest(*text) : std::nullopt;
        if (!digest) {
            fault(entry, "sha256: expected 64 hex digits; `exportd token NAME` makes a token");
        } else {
            token.digest = *digest;
        }
        if (const auto* node = entry.get("expires")) read_expiry(*node, token);
        for (const auto& other : result_.tokens_) {
            if (other.name == token.name) fault(entry, "name: another token has it");
            if (digest && other.digest == token.digest)
                fault(entry, "sha256: another token has it");
        }
        result_.tokens_.push_back(std::move(token));
    }

    void read_expiry(const toml::node& node, token_entry& token) {
        const auto time = node.value_exact<toml::date_time>();
        if (!time || !time->offset) {
            fault(node,
                  "expires: expected a date-time such as 2027-01-01T00:00:00Z, without quotes");
        } else if (time->date.year < first_year || time->date.year > last_year) {
            fault(node, "expires: expected a year from 1970 to 2200");
        } else {
            token.expires = to_instant(*time);
        }
    }

    void read_group(const toml::table& entry) {
        grant may;
        auto name = read_common(entry, {}, may);
        result_.groups_.emplace(std::move(name), std::move(may));
    }

    const std::filesystem::path& file_;
    const std::set<std::string>* known_;
    policy result_;
    std::vector<std::string> faults_;
};

namespace {

policy read_file(const std::filesystem::path& file, const std::set<std::string>* known) {
    refuse_shared(file);
    const auto text = read_text(file);
    try {
        return policy_file{file, known}.read(toml::parse(text, file.string()));
    } catch (const toml::parse_error& e) {
        throw std::runtime_error{
            fmt::format("{}:{}: this is not TOML", file.string(), e.source().begin.line)};
    }
}

}  // namespace

policy policy::read(const std::filesystem::path& file, const std::set<std::string>& known) {
    return read_file(file, &known);
}

policy policy::read_unchecked(const std::filesystem::path& file) {
    return read_file(file, nullptr);
}

}  // namespace exportd::access
