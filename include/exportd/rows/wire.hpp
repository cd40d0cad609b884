#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace exportd::rows {

// The big-endian integer of PostgreSQL's binary formats at any address, of which sizeof(Integer)
// bytes can be read.
template <std::integral Integer>
inline Integer load_big(const char* bytes) noexcept {
    std::make_unsigned_t<Integer> value;
    std::memcpy(&value, bytes, sizeof value);
    if constexpr (std::endian::native == std::endian::little) {
        if constexpr (sizeof value == 8) value = __builtin_bswap64(value);
        if constexpr (sizeof value == 4) value = __builtin_bswap32(value);
        if constexpr (sizeof value == 2) value = __builtin_bswap16(value);
    }
    return static_cast<Integer>(value);
}

}  // namespace exportd::rows
