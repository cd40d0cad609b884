#include <exportd/format/decimal.hpp>
#include <exportd/format/iso.hpp>
#include <exportd/format/time_zone.hpp>
#include <exportd/rows/wire.hpp>

#include "civil.hpp"
#include <charconv>
#include <limits>

namespace exportd::format {

namespace {

char* put_padded(char* out, std::uint64_t n, int width) noexcept {
    for (int i = width; i != 0; --i) {
        out[i - 1] = static_cast<char>('0' + n % 10);
        n /= 10;
    }
    return out + width;
}

char* put_date(char* out, std::int64_t days) noexcept {
    const civil_day date = civil_from_days(days);
    if (date.year >= 0 && date.year <= 9999) {
        out = put_padded(out, static_cast<std::uint64_t>(date.year), 4);
    } else {
        *out++ = date.year < 0 ? '-' : '+';
        const auto year = static_cast<std::uint64_t>(date.year < 0 ? -date.year : date.year);
        out = put_padded(out, year, year < 1'000'000 ? 6 : 7);
    }
    *out++ = '-';
    out = put_padded(out, date.month, 2);
    *out++ = '-';
    return put_padded(out, date.day, 2);
}

char* put_time(char* out, std::uint64_t micros) noexcept {
    const std::uint64_t seconds = micros / 1'000'000;
    out = put_padded(out, seconds / 3600, 2);
    *out++ = ':';
    out = put_padded(out, seconds / 60 % 60, 2);
    *out++ = ':';
    out = put_padded(out, seconds % 60, 2);
    *out++ = '.';
    return put_padded(out, micros % 1'000'000, 6);
}

template <class Integer>
bool put_infinity(rows::byte_buffer& out, Integer value) {
    if (value == std::numeric_limits<Integer>::max())
        out.append("infinity");
    else if (value == std::numeric_limits<Integer>::min())
        out.append("-infinity");
    else
        return false;
    return true;
}

bool put_timestamp(rows::byte_buffer& out, std::string_view cell, std::string_view zone) {
    if (cell.size() != 8) return false;
    const auto micros = rows::load_big<std::int64_t>(cell.data());
    if (put_infinity(out, micros)) return true;
    const std::int64_t day = floor_div(micros, micros_per_day);
    char* at = put_date(out.ensure(40), day);
    *at++ = 'T';
    // The product alone could leave 64 bits on the first day there is.
    const std::int64_t rest = micros % micros_per_day;
    at = put_time(at, static_cast<std::uint64_t>(rest < 0 ? rest + micros_per_day : rest));
    at = zone.copy(at, zone.size()) + at;
    out.commit(at);
    return true;
}

template <class Integer>
bool put_integer(rows::byte_buffer& out, Integer value) {
    char* begin = out.ensure(24);
    out.commit(std::to_chars(begin, begin + 24, value).ptr);
    return true;
}

char* put_part(char* out, std::int64_t value, char unit) noexcept {
    if (value == 0) return out;
    out = std::to_chars(out, out + 24, value).ptr;
    *out++ = unit;
    return out;
}

// The seconds of an interval with the digits they need; a sign of their own.
char* put_seconds(char* out, std::int64_t micros) noexcept {
    if (micros == 0) return out;
    if (micros < 0) *out++ = '-';
    const auto n = static_cast<std::uint64_t>(micros < 0 ? -micros : micros);
    out = std::to_chars(out, out + 24, n / 1'000'000).ptr;
    if (n % 1'000'000 != 0) {
        *out++ = '.';
        out = put_padded(out, n % 1'000'000, 6);
        while (out[-1] == '0')
            --out;
    }
    *out++ = 'S';
    return out;
}

constexpr std::string_view hex = "0123456789abcdef";

char* put_hex(char* out, std::string_view bytes) noexcept {
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        *out++ = hex[byte >> 4];
        *out++ = hex[byte & 15];
    }
    return out;
}

}  // namespace

bool append_iso_timestamptz(rows::byte_buffer& out, std::string_view cell) {
    return put_timestamp(out, cell, "Z");
}

bool append_iso_timestamp(rows::byte_buffer& out, std::string_view cell) {
    return put_timestamp(out, cell, "");
}

bool append_iso_date(rows::byte_buffer& out, std::string_view cell) {
    if (cell.size() != 4) return false;
    append_iso_date(out, rows::load_big<std::int32_t>(cell.data()));
    return true;
}

void append_iso_date(rows::byte_buffer& out, std::int32_t days) {
    if (!put_infinity(out, days)) out.commit(put_date(out.ensure(24), days));
}

bool append_iso_time(rows::byte_buffer& out, std::string_view cell) {
    if (cell.size() != 8) return false;
    const auto micros = rows::load_big<std::int64_t>(cell.data());
    if (micros < 0 || micros > micros_per_day) return false;
    out.commit(put_time(out.ensure(24), static_cast<std::uint64_t>(micros)));
    return true;
}

bool append_iso_interval(rows::byte_buffer& out, std::string_view cell) {
    if (cell.size() != 16) return false;
    const auto micros = rows::load_big<std::int64_t>(cell.data());
    const auto days = rows::load_big<std::int32_t>(cell.data() + 8);
    const auto months = rows::load_big<std::int32_t>(cell.data() + 12);
    if (micros == 0 && days == 0 && months == 0) {
        out.append("PT0S");
        return true;
    }
    char* at = out.ensure(160);
    *at++ = 'P';
    at = put_part(at, months / 12, 'Y');
    at = put_part(at, months % 12, 'M');
    at = put_part(at, days, 'D');
    if (micros != 0) {
        *at++ = 'T';
        at = put_part(at, micros / (3600 * micros_per_second), 'H');
        at = put_part(at, micros / (60 * micros_per_second) % 60, 'M');
        at = put_seconds(at, micros % (60 * micros_per_second));
    }
    out.commit(at);
    return true;
}

bool append_boolean(rows::byte_buffer& out, std::string_view cell) {
    if (cell.size() != 1 || (cell[0] != 0 && cell[0] != 1)) return false;
    out.append(cell[0] == 1 ? "t" : "f");
    return true;
}

bool append_integer(rows::byte_buffer& out, std::string_view cell) {
    switch (cell.size()) {
        case 2:
            return put_integer(out, rows::load_big<std::int16_t>(cell.data()));
        case 4:
            return put_integer(out, rows::load_big<std::int32_t>(cell.data()));
        case 8:
            return put_integer(out, rows::load_big<std::int64_t>(cell.data()));
        default:
            return false;
    }
}

bool append_oid(rows::byte_buffer& out, std::string_view cell) {
    return cell.size() == 4 && put_integer(out, rows::load_big<std::uint32_t>(cell.data()));
}

bool append_numeric(rows::byte_buffer& out, std::string_view cell) {
    const auto value = parse_numeric(cell);
    if (value) append_plain(out, *value);
    return value.has_value();
}

bool append_uuid(rows::byte_buffer& out, std::string_view cell) {
    if (cell.size() != 16) return false;
    char* at = out.ensure(36);
    std::size_t done = 0;
    for (const auto bytes : std::initializer_list<std::size_t>{4, 2, 2, 2, 6}) {
        if (done != 0) *at++ = '-';
        at = put_hex(at, cell.substr(done, bytes));
        done += bytes;
    }
    out.commit(at);
    return true;
}

bool append_bytea(rows::byte_buffer& out, std::string_view cell) {
    char* at = out.ensure(2 + 2 * cell.size());
    *at++ = '\\';
    *at++ = 'x';
    out.commit(put_hex(at, cell));
    return true;
}

}  // namespace exportd::format
