#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace exportd::observe {

enum class level : std::uint8_t { debug, info, warning, error };

// "debug", "info", "warning", "error": in the configuration and in the log.
constexpr std::string_view level_name(level l) noexcept {
    switch (l) {
        case level::debug:
            return "debug";
        case level::info:
            return "info";
        case level::warning:
            return "warning";
        case level::error:
            return "error";
    }
    return "unknown";
}

using field_value = std::variant<std::int64_t, double, bool, std::string>;

struct field {
    std::string_view key;  // must outlive the event: a literal
    field_value value;
};

// Something worth noticing, told once where it happens; log and metrics are its readers.
//
// No personal data in any of it: never the values of rows, e-mail addresses, tokens, connection
// URLs, nor a query string beyond the instants of its range. Names of exports, ids that this
// service made, counts, durations, states and addresses of clients are fine.
class event {
public:
    // `name` is a snake_case literal: it must outlive the event.
    event(level severity, std::string_view name) : severity_{severity}, name_{name} {}

    // Adds a field; keys other than time, level and event, each once. Unsigned numbers over
    // 2^63 - 1 become that.
    template <class Value>
    event& with(std::string_view key, Value&& value) & {
        fields_.push_back({key, to_value(std::forward<Value>(value))});
        return *this;
    }
    template <class Value>
    event&& with(std::string_view key, Value&& value) && {
        fields_.push_back({key, to_value(std::forward<Value>(value))});
        return std::move(*this);
    }

    level severity() const noexcept { return severity_; }
    std::string_view name() const noexcept { return name_; }
    const std::vector<field>& fields() const noexcept { return fields_; }

private:
    template <class Value>
    static field_value to_value(Value&& value) {
        using type = std::remove_cvref_t<Value>;
        if constexpr (std::same_as<type, bool>) {
            return value;
        } else if constexpr (std::integral<type>) {
            constexpr auto most = std::numeric_limits<std::int64_t>::max();
            return std::cmp_greater(value, most) ? most : static_cast<std::int64_t>(value);
        } else if constexpr (std::floating_point<type>) {
            return static_cast<double>(value);
        } else {
            return std::string(std::forward<Value>(value));
        }
    }

    level severity_;
    std::string_view name_;
    std::vector<field> fields_;
};

// Who is told. Implementations neither block nor throw, and are called from any thread.
class observer {
public:
    virtual ~observer() = default;
    virtual void observe(const event& e) noexcept = 0;
};

}  // namespace exportd::observe
