#include <exportd/access/authorization.hpp>

#include <openssl/evp.h>

#include <algorithm>
#include <vector>

namespace exportd::access {
namespace {

// Longest that is looked at: a JWT with many groups is far shorter.
constexpr std::size_t longest_secret = 16 * 1024;

bool has_scheme(std::string_view field, std::string_view scheme) {
    return field.size() > scheme.size() && field[scheme.size()] == ' ' &&
           std::equal(scheme.begin(), scheme.end(), field.begin(), [](char a, char b) {
               return a == (b >= 'A' && b <= 'Z' ? static_cast<char>(b - 'A' + 'a') : b);
           });
}

std::string_view after_scheme(std::string_view field, std::string_view scheme) {
    field.remove_prefix(scheme.size());
    const auto first = field.find_first_not_of(' ');
    return first == std::string_view::npos ? std::string_view{} : field.substr(first);
}

// RFC 6750 section 2.1: b64token.
bool is_b64token(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               std::string_view{"-._~+/="}.find(c) != std::string_view::npos;
    });
}

std::optional<std::string> from_base64(std::string_view text) {
    if (text.empty() || text.size() % 4 != 0) return std::nullopt;
    std::vector<unsigned char> out(text.size());
    const auto size =
        EVP_DecodeBlock(out.data(), reinterpret_cast<const unsigned char*>(text.data()),
                        static_cast<int>(text.size()));
    if (size < 0) return std::nullopt;
    // Its count has the bytes of the padding too.
    const auto padding = text.ends_with("==") ? 2 : text.ends_with("=") ? 1 : 0;
    return std::string{out.begin(), out.begin() + size - padding};
}

}  // namespace

authorization read_authorization(const credentials& given) {
    using kind = authorization::kind;
    if (given.count("Authorization") == 0) return {};
    const auto field = given.only("Authorization");
    if (!field || field->size() > longest_secret) return {kind::wrong, {}};
    if (has_scheme(*field, "bearer")) {
        const auto token = after_scheme(*field, "bearer");
        if (!is_b64token(token)) return {kind::wrong, {}};
        return {kind::bearer, std::string{token}};
    }
    if (has_scheme(*field, "basic")) {
        const auto pair = from_base64(after_scheme(*field, "basic"));
        const auto colon = pair ? pair->find(':') : std::string::npos;
        if (colon == std::string::npos) return {kind::wrong, {}};
        return {kind::basic, pair->substr(colon + 1)};
    }
    return {kind::wrong, {}};
}

}  // namespace exportd::access
