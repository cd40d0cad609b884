#include <exportd/access/policy.hpp>
#include <exportd/access/token.hpp>

#include <openssl/crypto.h>

#include <algorithm>

namespace exportd::access {
namespace {

bool expired(const token_entry& token, policy::clock::time_point now) {
    return token.expires && *token.expires <= now;
}

// The more generous of two.
std::optional<std::chrono::days> longer(const permission& a, const grant& b) {
    if (!a.max_range || !b.max_range) return std::nullopt;
    return std::max(*a.max_range, *b.max_range);
}

void add(std::optional<permission>& all, const grant& g) {
    if (all) {
        all = permission{all->raw || g.raw, longer(*all, g)};
    } else {
        all = permission{g.raw, g.max_range};
    }
}

}  // namespace

bool grant::covers(std::string_view export_name) const {
    return exports.contains(export_name) || exports.contains(std::string_view{"*"});
}

const token_entry* policy::find_token(std::string_view token, clock::time_point now) const {
    const auto digest = digest_of_token(token);
    const token_entry* found = nullptr;
    // All are compared, whichever it is.
    for (const auto& entry : tokens_) {
        if (CRYPTO_memcmp(entry.digest.data(), digest.data(), digest.size()) == 0) found = &entry;
    }
    return found == nullptr || expired(*found, now) ? nullptr : found;
}

const token_entry* policy::find_token_named(std::string_view name) const {
    const auto found = std::find_if(tokens_.begin(), tokens_.end(),
                                    [&](const token_entry& t) { return t.name == name; });
    return found == tokens_.end() ? nullptr : &*found;
}

std::optional<permission> policy::permits(const principal& who, std::string_view export_name,
                                          clock::time_point now) const {
    std::optional<permission> all;
    if (who.what == principal::kind::anybody) {
        if (open_) all = permission{true, std::nullopt};
    } else if (who.what == principal::kind::token) {
        const auto* token = find_token_named(who.name);
        if (token != nullptr && !expired(*token, now) && token->may.covers(export_name))
            add(all, token->may);
    } else {
        const auto add_group = [&](std::string_view name) {
            const auto [first, end] = groups_.equal_range(name);
            for (auto at = first; at != end; ++at) {
                if (at->second.covers(export_name)) add(all, at->second);
            }
        };
        for (const auto& name : who.groups) {
            // "*" is no group that a proxy or a JWT may put somebody into.
            if (name != "*") add_group(name);
        }
        add_group("*");
    }
    return all;
}

}  // namespace exportd::access
