#include <exportd/exports/request.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace exportd::exports {
namespace {

using result = boost::system::result<request, parameter_error>;

constexpr std::array<std::string_view, 5> known{"from", "to", "values", "excel", "receipt"};

// A caller's name may be anything; what comes back is short and printable.
std::string printable(std::string_view name) {
    std::string text{name.substr(0, 40)};
    std::replace_if(
        text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
    return text;
}

std::optional<parameter_error> check_names(parameters given) {
    for (auto it = given.begin(); it != given.end(); ++it) {
        const auto& name = it->first;
        if (std::find(known.begin(), known.end(), name) == known.end()) {
            return parameter_error{
                "unknown_parameter", printable(name),
                "There is no such parameter; known are from, to, values, excel and receipt."};
        }
        if (std::any_of(given.begin(), it,
                        [&](const auto& other) { return other.first == name; })) {
            return parameter_error{"repeated_parameter", name,
                                   fmt::format("{} is given more than once.", name)};
        }
    }
    return std::nullopt;
}

const std::string* find(parameters given, std::string_view name) {
    const auto it =
        std::find_if(given.begin(), given.end(), [&](const auto& p) { return p.first == name; });
    return it == given.end() ? nullptr : &it->second;
}

std::optional<parameter_error> read_end(parameters given, std::string_view name,
                                        const format::time_zone& zone, instant& end) {
    const auto* text = find(given, name);
    if (text == nullptr) {
        return parameter_error{"missing_parameter", std::string{name},
                               fmt::format("{} is required, as a date such as 2025-01-31.", name)};
    }
    const auto parsed = parse_instant(*text, zone);
    if (!parsed) {
        return parameter_error{
            "invalid_parameter", std::string{name},
            fmt::format(
                "{} has to be a date such as 2025-01-31 or a date-time with an offset such as "
                "2025-01-31T12:00:00Z.",
                name)};
    }
    end = *parsed;
    return std::nullopt;
}

std::optional<parameter_error> read_range(const definition& d, parameters given,
                                          const format::time_zone& zone, date_range& range) {
    if (auto error = read_end(given, "from", zone, range.from)) return error;
    if (auto error = read_end(given, "to", zone, range.to)) return error;
    if (range.to <= range.from) {
        return parameter_error{"invalid_range", "to",
                               "to has to be later than from; it is not part of the range."};
    }
    if (calendar_days(range, zone) > d.max_range) {
        return parameter_error{
            "range_too_long", "to",
            fmt::format("A range may span at most {} days.", d.max_range.count())};
    }
    return std::nullopt;
}

std::optional<parameter_error> read_options(parameters given, request& r) {
    if (const auto* text = find(given, "values")) {
        if (*text != "formatted" && *text != "raw") {
            return parameter_error{"invalid_parameter", "values", "values is formatted or raw."};
        }
        r.values = *text == "raw" ? values::raw : values::formatted;
    }
    if (const auto* text = find(given, "excel")) {
        if (*text != "0" && *text != "1") {
            return parameter_error{"invalid_parameter", "excel", "excel is 1 or 0."};
        }
        r.excel = *text == "1";
    }
    if (const auto* text = find(given, "receipt")) {
        if (!is_uuid(*text))
            return parameter_error{"invalid_parameter", "receipt", "receipt has to be a UUID."};
        r.receipt_id = *text;
        std::transform(text->begin(), text->end(), r.receipt_id->begin(), [](char c) {
            return c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c;
        });
    }
    return std::nullopt;
}

}  // namespace

result parse_request(const definition& d, const format::time_zone& zone, parameters given) {
    request r;
    if (auto error = check_names(given)) return *error;
    if (auto error = read_range(d, given, zone, r.range)) return *error;
    if (auto error = read_options(given, r)) return *error;
    return r;
}

std::string file_name(const definition& d, const format::time_zone& zone, const date_range& range) {
    return fmt::format("{}_{}_{}.csv", d.filename, to_file_name_part(range.from, zone),
                       to_file_name_part(range.to, zone));
}

bool is_uuid(std::string_view text) noexcept {
    if (text.size() != 36) return false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
        const bool hex = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
        if (dash ? c != '-' : !hex) return false;
    }
    return true;
}

}  // namespace exportd::exports
