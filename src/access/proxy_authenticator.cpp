#include <exportd/access/proxy_authenticator.hpp>
#include <exportd/access/text.hpp>

#include <string_view>

namespace exportd::access {
namespace {

constexpr std::size_t most_groups = 1000;

std::vector<std::string> split(std::string_view list) {
    std::vector<std::string> names;
    while (!list.empty() && names.size() < most_groups) {
        const auto comma = list.find(',');
        const auto name = trim(list.substr(0, comma));
        if (is_name(name)) names.emplace_back(name);
        list.remove_prefix(comma == std::string_view::npos ? list.size() : comma + 1);
    }
    return names;
}

}  // namespace

verdict proxy_authenticator::look_at(const credentials& given) {
    if (!given.from_trusted_proxy) return {};
    // A second field of that name may be the client's own that the proxy let through.
    for (const auto& name : {names_.user, names_.groups, names_.mail}) {
        if (given.count(name) > 1) return {verdict::kind::wrong, {}, "repeated_field"};
    }
    const auto user = given.only(names_.user);
    if (!user) return {};
    const auto name = trim(*user);
    if (!is_name(name)) return {verdict::kind::wrong, {}, "malformed_user"};
    principal who{principal::kind::user, std::string{name}, {}, {}};
    if (const auto groups = given.only(names_.groups)) who.groups = split(*groups);
    const auto mail = given.only(names_.mail);
    if (mail && is_name(trim(*mail))) who.mail = std::string{trim(*mail)};
    return {verdict::kind::known, std::move(who), {}};
}

}  // namespace exportd::access
