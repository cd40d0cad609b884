#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace exportd::format {

// Instants and local times are microseconds since 2000-01-01 00:00 (UTC, or local), as in
// PostgreSQL; the calendar is the proleptic Gregorian one.
inline constexpr std::int64_t micros_per_second = 1'000'000;
inline constexpr std::int64_t micros_per_day = 86'400 * micros_per_second;

// The rules of one zone, read from the system's tzdata (TZif files, RFC 8536) and tabled: local
// mean time before the first change, the rule in the file's last line after the last one, for
// ever. Immutable, so that threads may share it.
class time_zone {
public:
    // A stretch of time with one offset; begin <= t < end.
    struct interval {
        std::int64_t begin = 0;
        std::int64_t end = 0;
        std::int64_t offset = 0;  // local minus UTC, microseconds
        bool daylight = false;

        bool contains(std::int64_t t) const noexcept { return begin <= t && t < end; }
    };

    // `name` as in the IANA database ("Europe/London"). Throws std::invalid_argument that names
    // a zone that is not there, std::runtime_error for a file that can't be understood.
    static std::shared_ptr<const time_zone> load(
        std::string_view name, const std::string& directory = default_directory());

    // TZDIR of the environment, or where the system keeps it.
    static std::string default_directory();
    // "2025b", or "unknown" if the directory does not tell.
    static std::string tzdata_version(const std::string& directory = default_directory());

    const std::string& name() const noexcept { return name_; }

    // What holds at an instant. O(log n): a caller keeps the answer while it contains() the
    // next one. Any value is good but the two that stand for infinity.
    interval at(std::int64_t utc) const noexcept;

    std::int64_t to_local(std::int64_t utc) const noexcept { return utc + at(utc).offset; }

    // The first instant at which the zone's clocks show `day` (days since 2000-01-01) or later:
    // its midnight; the earlier one of two; the end of the gap if there is none.
    std::int64_t start_of_day(std::int32_t day) const noexcept;

private:
    struct change {
        std::int64_t at = 0;      // seconds since 2000-01-01 UTC
        std::int32_t offset = 0;  // seconds, from then on
        bool daylight = false;
    };

    time_zone() = default;

    std::string name_;
    // Sorted; the first one is at the beginning of time. From `cycle_begin_` on, in seconds,
    // the changes of the 400 years before it repeat.
    std::vector<change> changes_;
    std::int64_t cycle_begin_ = std::numeric_limits<std::int64_t>::max();

    friend class time_zone_builder;
};

}  // namespace exportd::format
