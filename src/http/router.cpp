#include <exportd/http/router.hpp>

#include <algorithm>

namespace exportd::http {
namespace {

bool fits(std::string_view pattern, std::string_view segment) {
    if (!pattern.starts_with("{}")) return pattern == segment;
    const auto ending = pattern.substr(2);
    return segment.size() > ending.size() && segment.ends_with(ending);
}

bool fits(const std::vector<std::string>& pattern, const std::vector<std::string>& path) {
    return std::equal(pattern.begin(), pattern.end(), path.begin(), path.end(),
                      [](const auto& p, const auto& s) {
                          return fits(std::string_view{p}, std::string_view{s});
                      });
}

}  // namespace

void router::add(std::string_view method, std::vector<std::string> pattern, endpoint& serves,
                 audience whom) {
    std::string text;
    for (const auto& segment : pattern)
        text.append("/").append(segment);
    if (text.empty()) text.push_back('/');
    routes_.push_back({std::string{method}, std::move(pattern), std::move(text), &serves, whom});
}

router::match router::find(std::string_view method, const std::vector<std::string>& path) const {
    match found;
    for (const auto& r : routes_) {
        if (!fits(r.pattern, path)) continue;
        if (method == r.method || (method == "HEAD" && r.method == "GET")) {
            return {r.serves, &r.text, {}, r.whom};
        }
        found.allow.push_back(r.method);
        if (r.method == "GET") found.allow.emplace_back("HEAD");
    }
    return found;
}

std::vector<router::entry> router::entries() const {
    std::vector<entry> all;
    for (const auto& r : routes_)
        all.push_back({r.method, r.text, r.whom});
    return all;
}

std::vector<std::string> router::templates() const {
    std::vector<std::string> texts;
    for (const auto& r : routes_)
        texts.push_back(r.text);
    return texts;
}

}  // namespace exportd::http
