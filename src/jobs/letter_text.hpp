#pragma once

#include <chrono>
#include <string>

namespace exportd::jobs {

// "8 December 2026".
std::string date_text(std::chrono::sys_days when);

// "8 December 2026, 14:30 (GMT)".
std::string instant_text(std::chrono::sys_seconds when, std::chrono::minutes utc_offset,
                         const std::string& zone);

}  // namespace exportd::jobs
