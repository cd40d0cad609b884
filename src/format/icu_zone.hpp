#pragma once

#include <exportd/format/time_zone.hpp>

#include <unicode/timezone.h>

#include <memory>

namespace exportd::format {

// A zone for ICU that has our offsets and ICU's names. Only for src/format/icu_*.cpp.
std::unique_ptr<icu::TimeZone> make_icu_zone(std::shared_ptr<const time_zone> zone);

}  // namespace exportd::format
