#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace exportd::fuzz {

// Ends the fuzzer, which then keeps its input, unless the property holds.
inline void check(bool holds, std::string_view property) {
    if (holds) return;
    std::fprintf(stderr, "broken: %.*s\n", static_cast<int>(property.size()), property.data());
    std::abort();
}

inline std::string_view as_text(const std::uint8_t* data, std::size_t size) {
    return {reinterpret_cast<const char*>(data), size};
}

}  // namespace exportd::fuzz
