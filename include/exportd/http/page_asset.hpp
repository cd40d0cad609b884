#pragma once

#include <exportd/http/message.hpp>

#include <span>
#include <string_view>
#include <vector>

namespace exportd::http {

// A file of the page for staff, part of the program; see src/http/page.
struct page_asset {
    std::string_view name;  // "app.js"
    std::string_view content;
};

std::span<const page_asset> page_assets();

// Null if there is no such file.
const page_asset* find_page_asset(std::string_view name);

// By the ending of its name.
std::string_view content_type_of(const page_asset& a);

// What bounds a page in the browser: nothing from elsewhere, no inline script, no frame around it.
std::vector<header_field> page_fields();

}  // namespace exportd::http
