#pragma once

#include <exportd/access/audit.hpp>

#include <string>
#include <string_view>

namespace exportd::access {

// "start", "end", "refused".
std::string_view name_of(audit_record::phase p) noexcept;

// 2025-09-01T00:00:00.000000Z, in years 0 to 9999.
std::string time_text(std::chrono::sys_time<std::chrono::microseconds> t);

}  // namespace exportd::access
