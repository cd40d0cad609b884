#pragma once

#include <cstdint>
#include <string_view>

namespace exportd::format {

// The big-endian integer at the front of a cell that is known to be long enough.
template <class Integer>
inline Integer read_wire(std::string_view bytes) noexcept {
    std::uint64_t n = 0;
    for (std::size_t i = 0; i < sizeof(Integer); ++i)
        n = n << 8 | static_cast<unsigned char>(bytes[i]);
    return static_cast<Integer>(n);
}

}  // namespace exportd::format
