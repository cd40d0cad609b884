#pragma once

#include <cstdint>

namespace exportd::rows {

// Big-endian integers of PostgreSQL's binary formats, from any address.
inline std::uint64_t load_big_endian(const char* bytes, int size) noexcept {
    std::uint64_t value = 0;
    for (int i = 0; i < size; ++i)
        value = value << 8U | static_cast<unsigned char>(bytes[i]);
    return value;
}

inline std::int16_t load_int16(const char* bytes) noexcept {
    return static_cast<std::int16_t>(load_big_endian(bytes, 2));
}
inline std::int32_t load_int32(const char* bytes) noexcept {
    return static_cast<std::int32_t>(load_big_endian(bytes, 4));
}
inline std::int64_t load_int64(const char* bytes) noexcept {
    return static_cast<std::int64_t>(load_big_endian(bytes, 8));
}

}  // namespace exportd::rows
