#pragma once

#include <exportd/access/policy.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace exportd::access {

// A browser's sign-in with a token, as its cookie says it.
struct sign_in {
    std::string id;     // 32 lower-case hex digits, random
    std::string token;  // the token's name
    std::string mark;   // begin of the token's digest: a new token of that name is another one
    std::chrono::sys_seconds began;
    std::chrono::sys_seconds seen;  // last, give or take a minute
};

struct sign_in_options {
    std::string key;  // of the signatures, a secret; empty: one of this process's own
    std::chrono::seconds idle{0};
    std::chrono::seconds lifetime{0};
    std::size_t most_ended = 100'000;  // sign-outs that are remembered
};

// Makes sign-ins and knows them again. What is signed in is only in the browser's cookie, signed
// with HMAC-SHA256; what was signed out is remembered here for as long as its cookie could live.
// Loop thread only; does no I/O.
class sign_ins {
public:
    using clock = std::chrono::system_clock;

    // Throws std::runtime_error when the system has no randomness.
    explicit sign_ins(sign_in_options options);

    sign_in begin(const token_entry& token, clock::time_point now);

    // The cookie's value: visible ASCII without a quote, comma, semicolon or backslash.
    std::string to_cookie(const sign_in& s) const;

    // Nothing for a cookie that was not made here, is over age, was signed out, or whose token is
    // gone, has expired or was replaced.
    std::optional<sign_in> find(std::string_view cookie, const policy& by,
                                clock::time_point now) const;

    // Whether its cookie should be sent anew, so that it does not become idle.
    bool due(const sign_in& s, clock::time_point now) const;

    void end(const sign_in& s);

    // What a page shows with each change that it asks for, to prove that it may read this site's
    // answers. Bound to the sign-in.
    std::string csrf_token(const sign_in& s) const;
    bool is_csrf_token(const sign_in& s, std::string_view text) const;

    std::chrono::seconds lifetime() const noexcept { return options_.lifetime; }

private:
    bool in_time(const sign_in& s, clock::time_point now) const;

    sign_in_options options_;
    std::map<std::string, std::chrono::sys_seconds, std::less<>> ended_;  // and until when
};

}  // namespace exportd::access
