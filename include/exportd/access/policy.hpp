#pragma once

#include <exportd/access/principal.hpp>

#include <array>
#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace exportd::access {

// What somebody may do with one export.
struct permission {
    bool raw = false;                            // ask for values=raw
    std::optional<std::chrono::days> max_range;  // shorter than the export's own
};

// What a token or a group may do.
struct grant {
    std::set<std::string, std::less<>> exports;  // names; "*" is all
    bool raw = false;
    std::optional<std::chrono::days> max_range;

    bool covers(std::string_view export_name) const;
};

using token_digest = std::array<unsigned char, 32>;  // SHA-256

struct token_entry {
    std::string name;
    token_digest digest{};
    grant may;
    std::optional<std::chrono::system_clock::time_point> expires;
};

// Who may do what: the access file, read. Immutable.
class policy {
public:
    using clock = std::chrono::system_clock;

    // For auth.mode none: anybody may do everything.
    static policy open() {
        policy p;
        p.open_ = true;
        return p;
    }

    // Nobody may do anything.
    policy() = default;

    // Reads an access file (TOML): [[tokens]] with name, sha256, exports, raw, max_range, expires;
    // [[groups]] with name (or "*", every user), exports, raw, max_range. `known` are the names of
    // exports. Throws std::runtime_error that tells all that is wrong, a line each, with the line's
    // number: an unknown key, a name or digest that comes twice, an unknown export, and the like.
    // No text of the file that may be a secret gets into a message. Reads a file.
    static policy read(const std::filesystem::path& file, const std::set<std::string>& known);

    // As read(), whatever exports it names.
    static policy read_unchecked(const std::filesystem::path& file);

    // The token's entry if it is there and has not expired. Takes the same time for every text.
    const token_entry* find_token(std::string_view token, clock::time_point now) const;

    // By its name, expired or not.
    const token_entry* find_token_named(std::string_view name) const;

    // Nothing: not this export, or the token is gone or expired. Of several groups that cover the
    // export the most generous counts, for each of raw and max_range.
    std::optional<permission> permits(const principal& who, std::string_view export_name,
                                      clock::time_point now) const;

    const std::vector<token_entry>& tokens() const noexcept { return tokens_; }

private:
    friend class policy_file;

    bool open_ = false;
    std::vector<token_entry> tokens_;
    std::multimap<std::string, grant, std::less<>> groups_;
};

// The policy in force, which is replaced as a whole. Loop thread only.
class policy_store {
public:
    explicit policy_store(std::shared_ptr<const policy> first) : current_{std::move(first)} {}

    const policy& current() const noexcept { return *current_; }
    void replace(std::shared_ptr<const policy> by) { current_ = std::move(by); }

private:
    std::shared_ptr<const policy> current_;
};

}  // namespace exportd::access
