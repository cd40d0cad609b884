#include "html.hpp"

#include <exportd/jobs/markup.hpp>

namespace exportd::http {
std::string fill_template(
    std::string_view text,
    const std::vector<std::pair<std::string_view, std::string_view>>& values) {
    std::string out;
    while (!text.empty()) {
        const auto open = text.find("{{");
        out += text.substr(0, open);
        if (open == std::string_view::npos) break;
        const auto close = text.find("}}", open);
        if (close == std::string_view::npos) break;
        const auto name = text.substr(open + 2, close - open - 2);
        for (const auto& [key, value] : values) {
            if (key == name) out += jobs::escaped_markup(value);
        }
        text.remove_prefix(close + 2);
    }
    return out;
}

}  // namespace exportd::http
