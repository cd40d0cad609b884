#pragma once

#include <exportd/observe/event.hpp>

#include <chrono>
#include <cstdint>
#include <string>

namespace exportd::observe {

enum class log_format : std::uint8_t { json, text };

// One line for an event, without a line end, whatever the fields hold: quotes, backslashes and
// control characters are escaped as in JSON, bytes that are not UTF-8 become U+FFFD.
//   json  {"time":"2026-11-30T19:35:48.123Z","level":"info","event":"export_finished","rows":3}
//   text  2026-11-30T19:35:48.123Z info export_finished rows=3
// Numbers that are not finite are null in JSON.
std::string format_event(const event& e, std::chrono::system_clock::time_point time,
                         log_format format);

}  // namespace exportd::observe
