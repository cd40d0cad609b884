#pragma once

#include <exportd/rows/byte_buffer.hpp>

#include <cstdint>
#include <string_view>

namespace exportd::format {

// The stored value, exact and without a locale. Each takes a cell in PostgreSQL's binary send
// format and appends its text; false, with nothing appended, if the bytes are not such a value.
// None of these texts needs quotes in CSV.

// `2025-10-26T00:30:00.000000Z`: ISO 8601 in UTC, always six digits of a second. Years beyond
// 9999 and before 0 are ISO's expanded ones, with a sign and at least six digits (`+010000-01-01`,
// `-000001-..`); year 0000 is 1 BC. The infinities are `infinity` and `-infinity`.
bool append_iso_timestamptz(rows::byte_buffer& out, std::string_view cell);
// The same without the `Z`.
bool append_iso_timestamp(rows::byte_buffer& out, std::string_view cell);
// `2025-10-26`.
bool append_iso_date(rows::byte_buffer& out, std::string_view cell);
// The same of days since 2000-01-01.
void append_iso_date(rows::byte_buffer& out, std::int32_t days);
// `00:30:00.000000`; `24:00:00.000000` is a value of its own.
bool append_iso_time(rows::byte_buffer& out, std::string_view cell);
// `P1Y2M3DT4H5M6.5S`, as PostgreSQL's intervalstyle iso_8601: each part has its own sign, parts
// that are zero are left out, nothing at all is `PT0S`.
bool append_iso_interval(rows::byte_buffer& out, std::string_view cell);

// `t` or `f`, as PostgreSQL prints it.
bool append_boolean(rows::byte_buffer& out, std::string_view cell);
// int2, int4 and int8, by the cell's size.
bool append_integer(rows::byte_buffer& out, std::string_view cell);
bool append_oid(rows::byte_buffer& out, std::string_view cell);
// All digits, as numeric_out.
bool append_numeric(rows::byte_buffer& out, std::string_view cell);
// The shortest text that reads back as the same value, in the form of PostgreSQL 12 and later:
// `1e+20`, `1e-07`, `0.1`, `NaN`, `Infinity`.
bool append_float4(rows::byte_buffer& out, std::string_view cell);
bool append_float8(rows::byte_buffer& out, std::string_view cell);
bool append_uuid(rows::byte_buffer& out, std::string_view cell);
// `\x` and two hexadecimal digits a byte.
bool append_bytea(rows::byte_buffer& out, std::string_view cell);

}  // namespace exportd::format
