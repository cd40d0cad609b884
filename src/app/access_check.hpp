#pragma once

#include <exportd/app/config.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace exportd::app {

// Adds what forbids serving with these settings of [auth], [jwt], [audit] and trusted proxies, a
// sentence each.
void check_access(const config& c, std::vector<std::string>& faults);

// The words of a list with commas, without blanks around them.
std::vector<std::string_view> words_of(std::string_view list);

// Whether the settings of [audit] name the sink.
bool has_sink(const audit_config& c, std::string_view sink);

}  // namespace exportd::app
