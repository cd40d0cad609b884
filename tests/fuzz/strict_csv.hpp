#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace exportd::fuzz {

using csv_record = std::vector<std::optional<std::string>>;

// Reads one record of RFC 4180 that ends in `line_end`, and nothing behind it; a bare empty field
// is nullopt. nullopt for anything that the RFC does not allow. Shares no code with the writer.
inline std::optional<csv_record> read_record(std::string_view text, std::string_view line_end) {
    if (!text.ends_with(line_end)) return std::nullopt;
    text.remove_suffix(line_end.size());
    csv_record record;
    std::size_t at = 0;
    for (;;) {
        std::string field;
        const bool quoted = at < text.size() && text[at] == '"';
        if (quoted) {
            for (++at;; ++at) {
                if (at == text.size()) return std::nullopt;
                if (text[at] == '"') {
                    if (at + 1 == text.size() || text[at + 1] != '"') break;
                    ++at;
                }
                field += text[at];
            }
            ++at;
        } else {
            const auto end = std::min(text.find(',', at), text.size());
            field = text.substr(at, end - at);
            if (field.find_first_of("\"\r\n") != std::string::npos) return std::nullopt;
            at = end;
        }
        record.push_back(!quoted && field.empty() ? std::nullopt : std::optional{field});
        if (at == text.size()) return record;
        if (text[at++] != ',') return std::nullopt;
    }
}

}  // namespace exportd::fuzz
