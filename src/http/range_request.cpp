#include "range_request.hpp"

#include "http_date.hpp"
#include <algorithm>
#include <charconv>
#include <limits>
#include <string_view>
#include <vector>

namespace exportd::http {
namespace {

// The white space and the commas of RFC 9110 section 5.6.1.
void skip(std::string_view& text, std::string_view characters) {
    text.remove_prefix(std::min(text.find_first_not_of(characters), text.size()));
}

std::string_view trimmed(std::string_view text) {
    skip(text, " \t");
    return text.substr(0, text.find_last_not_of(" \t") + 1);
}

bool equal_ignoring_case(std::string_view a, std::string_view lower) {
    return std::equal(a.begin(), a.end(), lower.begin(), lower.end(), [](char x, char y) {
        return (x >= 'A' && x <= 'Z' ? static_cast<char>(x - 'A' + 'a') : x) == y;
    });
}

struct entity_tag {
    bool weak = false;
    std::string_view opaque;  // with its quotes
};

// RFC 9110 section 8.8.3. Eats the tag from the front of the text.
std::optional<entity_tag> eat_tag(std::string_view& text) {
    entity_tag tag;
    if (text.starts_with("W/")) {
        tag.weak = true;
        text.remove_prefix(2);
    }
    const auto end = text.starts_with('"') ? text.find('"', 1) : std::string_view::npos;
    if (end == std::string_view::npos) return std::nullopt;
    tag.opaque = text.substr(0, end + 1);
    text.remove_prefix(end + 1);
    return tag;
}

// Nothing for what is not a list of entity tags.
std::optional<std::vector<entity_tag>> parse_tags(std::string_view text) {
    std::vector<entity_tag> tags;
    for (skip(text, " \t,"); !text.empty(); skip(text, " \t,")) {
        const auto tag = eat_tag(text);
        if (!tag) return std::nullopt;
        tags.push_back(*tag);
        skip(text, " \t");
        if (!text.empty() && text.front() != ',') return std::nullopt;
    }
    return tags;
}

enum class comparison { strong, weak };

// Whether If-Match or If-None-Match names the file.
bool names(std::string_view field, const file_version& file, comparison how) {
    if (trimmed(field) == "*") return true;
    const auto tags = parse_tags(field);
    return tags && std::any_of(tags->begin(), tags->end(), [&](const entity_tag& tag) {
               return tag.opaque == file.etag && (how == comparison::weak || !tag.weak);
           });
}

std::optional<selection> check_preconditions(const request& r, const file_version& file) {
    if (!r.if_match.empty()) {
        if (!names(r.if_match, file, comparison::strong)) return selection::precondition_failed;
    } else if (const auto date = parse_http_date(r.if_unmodified_since); date && file.modified) {
        if (*file.modified > *date) return selection::precondition_failed;
    }
    if (!r.if_none_match.empty()) {
        if (names(r.if_none_match, file, comparison::weak)) return selection::not_modified;
    } else if (const auto date = parse_http_date(r.if_modified_since); date && file.modified) {
        if (*file.modified <= *date) return selection::not_modified;
    }
    return std::nullopt;
}

// A number that is too large for any file is one just as well.
std::optional<std::uint64_t> parse_number(std::string_view text) {
    constexpr auto most = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t number = 0;
    const auto* end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data(), end, number);
    if (parsed.ptr != end || text.empty()) return std::nullopt;
    return parsed.ec == std::errc::result_out_of_range ? most : number;
}

// RFC 9110 section 14.1.2: `first-last`, `first-` or, without first, the last bytes.
struct byte_range {
    std::optional<std::uint64_t> first;
    std::optional<std::uint64_t> last;
};

std::optional<byte_range> parse_spec(std::string_view spec) {
    const auto dash = spec.find('-');
    if (dash == std::string_view::npos) return std::nullopt;
    const auto before = spec.substr(0, dash);
    const auto behind = spec.substr(dash + 1);
    const byte_range range{parse_number(before), parse_number(behind)};
    const bool well_formed = (range.first || before.empty()) && (range.last || behind.empty());
    if (!well_formed || (!range.first && !range.last)) return std::nullopt;
    if (range.first && range.last && *range.last < *range.first) return std::nullopt;
    return range;
}

// Nothing for what is not exactly one range of bytes.
std::optional<byte_range> parse_range(std::string_view text) {
    const auto equals = text.find('=');
    if (equals == std::string_view::npos || !equal_ignoring_case(text.substr(0, equals), "bytes"))
        return std::nullopt;
    text.remove_prefix(equals + 1);
    skip(text, " \t,");
    const auto spec = trimmed(text.substr(0, text.find(',')));
    text.remove_prefix(std::min(text.find(','), text.size()));
    skip(text, " \t,");
    return text.empty() ? parse_spec(spec) : std::nullopt;
}

selected_range cut(const byte_range& range, std::uint64_t size) {
    if (!range.first) {
        const auto length = std::min(*range.last, size);
        if (*range.last == 0) return {selection::unsatisfiable, 0, 0};
        // No Content-Range can name a part of nothing.
        if (size == 0) return {selection::whole, 0, 0};
        return {selection::part, size - length, length};
    }
    if (*range.first >= size) return {selection::unsatisfiable, 0, 0};
    const auto last = std::min(range.last.value_or(size - 1), size - 1);
    return {selection::part, *range.first, last - *range.first + 1};
}

}  // namespace

selected_range select_range(const request& r, const file_version& file) {
    if (const auto end = check_preconditions(r, file)) return {*end, 0, 0};
    const selected_range whole{selection::whole, 0, file.size};
    if (r.method != "GET" || r.range.empty()) return whole;
    // A weak tag and a date are other texts than a strong tag.
    if (!r.if_range.empty() && trimmed(r.if_range) != file.etag) return whole;
    const auto range = parse_range(r.range);
    return range ? cut(*range, file.size) : whole;
}

}  // namespace exportd::http
