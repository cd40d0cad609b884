#include <exportd/http/target.hpp>

#include <boost/url/parse.hpp>
#include <boost/url/url_view.hpp>

namespace exportd::http {

std::optional<target> parse_target(std::string_view text) {
    const auto parsed = text.starts_with('/') ? boost::urls::parse_origin_form(text)
                                              : boost::urls::parse_absolute_uri(text);
    if (!parsed) return std::nullopt;

    target t;
    for (const auto segment : parsed->segments())
        t.path.emplace_back(segment);
    for (const auto& parameter : parsed->encoded_params()) {
        // What stands between two separators, or behind a lone question mark, is no parameter.
        if (parameter.key.empty() && !parameter.has_value) continue;
        t.query.emplace_back(parameter.key.decode(), parameter.value.decode());
    }
    return t;
}

}  // namespace exportd::http
