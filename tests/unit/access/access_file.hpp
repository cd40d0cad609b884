#pragma once

#include <exportd/access/token.hpp>

#include "../app/temporary_directory.hpp"
#include <set>
#include <string>

namespace exportd::access {

inline const std::set<std::string> known_exports{"orders", "refunds"};

// What `exportd token` prints for it.
inline std::string digest_text(std::string_view token) {
    return to_text(digest_of_token(token));
}

inline std::string token_entry_text(const std::string& name, const std::string& token,
                                    const std::string& more) {
    return "[[tokens]]\nname = \"" + name + "\"\nsha256 = \"" + digest_text(token) + "\"\n" + more +
           "\n";
}

// The policy that such a file says.
inline policy policy_of(const std::string& text) {
    app::test::temporary_directory directory;
    return policy::read(directory.write("access.toml", text), known_exports);
}

}  // namespace exportd::access
