#pragma once

#include <exportd/observe/event.hpp>

#include <prometheus/histogram.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

// What counters read of events.
namespace exportd::observe {

template <class List>
bool holds(const List& list, std::string_view text) {
    return std::find(list.begin(), list.end(), text) != list.end();
}

inline const field_value* find(const event& e, std::string_view key) {
    const auto& fields = e.fields();
    const auto at =
        std::find_if(fields.begin(), fields.end(), [key](const field& f) { return f.key == key; });
    return at == fields.end() ? nullptr : &at->value;
}

inline std::string_view text_of(const event& e, std::string_view key) {
    const auto* value = find(e, key);
    const auto* text = value == nullptr ? nullptr : std::get_if<std::string>(value);
    return text == nullptr ? std::string_view{} : std::string_view{*text};
}

inline std::optional<double> number_of(const event& e, std::string_view key) {
    const auto* value = find(e, key);
    if (value == nullptr) return std::nullopt;
    if (const auto* whole = std::get_if<std::int64_t>(value)) return static_cast<double>(*whole);
    if (const auto* real = std::get_if<double>(value)) return *real;
    return std::nullopt;
}

inline void observe_ms(prometheus::Histogram& to, const event& e, std::string_view key) {
    if (const auto ms = number_of(e, key)) to.Observe(*ms / 1000.0);
}

}  // namespace exportd::observe
