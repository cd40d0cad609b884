#include <exportd/observe/json_text.hpp>
#include <exportd/observe/log_format.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace exportd::observe {

namespace {

bool is_plain(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
               c == '-' || c == '_' || c == '.' || c == ':' || c == '/';
    });
}

struct value_writer {
    std::string& out;
    log_format format;

    void operator()(std::int64_t value) const {
        fmt::format_to(std::back_inserter(out), "{}", value);
    }
    void operator()(double value) const {
        if (format == log_format::json && !std::isfinite(value)) {
            out += "null";
        } else {
            fmt::format_to(std::back_inserter(out), "{}", value);
        }
    }
    void operator()(bool value) const { out += value ? "true" : "false"; }
    void operator()(const std::string& value) const {
        if (format == log_format::text && is_plain(value)) {
            out += value;
        } else {
            append_json_string(out, value);
        }
    }
};

// As in RFC 3339, in UTC, with milliseconds.
std::string time_text(std::chrono::system_clock::time_point time) {
    using namespace std::chrono;
    const auto day = floor<days>(time);
    const year_month_day date{day};
    const hh_mm_ss clock{floor<milliseconds>(time - day)};
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", static_cast<int>(date.year()),
                       static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                       clock.hours().count(), clock.minutes().count(), clock.seconds().count(),
                       clock.subseconds().count());
}

std::string json_line(const event& e, std::chrono::system_clock::time_point time) {
    std::string out = fmt::format("{{\"time\":\"{}\",\"level\":\"{}\",\"event\":", time_text(time),
                                  level_name(e.severity()));
    append_json_string(out, e.name());
    for (const field& f : e.fields()) {
        out += ',';
        append_json_string(out, f.key);
        out += ':';
        std::visit(value_writer{out, log_format::json}, f.value);
    }
    out += '}';
    return out;
}

std::string text_line(const event& e, std::chrono::system_clock::time_point time) {
    std::string out = fmt::format("{} {} {}", time_text(time), level_name(e.severity()), e.name());
    for (const field& f : e.fields()) {
        out += ' ';
        out += f.key;
        out += '=';
        std::visit(value_writer{out, log_format::text}, f.value);
    }
    return out;
}

}  // namespace

std::string format_event(const event& e, std::chrono::system_clock::time_point time,
                         log_format format) {
    return format == log_format::json ? json_line(e, time) : text_line(e, time);
}

}  // namespace exportd::observe
