#pragma once

#include <exportd/app/config_key.hpp>

#include <span>

namespace exportd::app {

// The member that a row of the table fills: at<&config::server, &server_config::listen>.
template <auto Section, auto Member>
auto& at(config& c) {
    return c.*Section.*Member;
}

// The rows of what takes a finished export to people: [jobs], [s3] and [mail].
std::span<const config_key> delivery_rows();

// The rows of who may do what, and what is kept of it: [auth], [jwt] and [audit].
std::span<const config_key> access_rows();

}  // namespace exportd::app
