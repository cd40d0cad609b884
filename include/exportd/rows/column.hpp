#pragma once

#include <cstdint>
#include <string>

namespace exportd::rows {

// How the bytes of a cell are to be read: PostgreSQL's binary send format of that type
// (PostgreSQL manual, "Frontend/Backend Protocol"; big-endian). Types with the same bytes
// share a kind.
enum class value_kind : std::uint8_t {
    unsupported,  // no decoder: the query has to cast the column to text
    boolean,      // one byte, 0 or 1
    int2,
    int4,
    int8,
    oid,  // 4 bytes, unsigned
    float4,
    float8,
    numeric,      // ndigits, weight, sign, dscale, then base-10000 digits, all 16 bits
    text,         // text, varchar, bpchar, name, enum labels, json, xml: UTF-8 as it is
    jsonb,        // one version byte (1), then UTF-8
    uuid,         // 16 bytes
    bytea,        // as it is
    date,         // int4, days since 2000-01-01; INT32_MAX/MIN are +/-infinity
    time,         // int8, microseconds since midnight
    timestamp,    // int8, microseconds since 2000-01-01 00:00 without a zone; INT64_MAX/MIN are
                  // +/-infinity
    timestamptz,  // int8, microseconds since 2000-01-01 00:00 UTC; INT64_MAX/MIN are +/-infinity
    interval,     // int8 microseconds, int4 days, int4 months
};

// One column of a result. Owns its strings.
struct column {
    std::string name;
    value_kind kind = value_kind::unsupported;
    // PostgreSQL's name of the type, for messages ("inet"); empty when it was not looked up.
    std::string type_name;
};

}  // namespace exportd::rows
