#include <exportd/pg/type_map.hpp>

#include <array>
#include <utility>

namespace exportd::pg {

using rows::value_kind;

namespace {

// Numbers of pg_type.dat; they never change.
const std::array<std::pair<type_map::oid, type_map::type>, 27>& built_in() {
    static const std::array<std::pair<type_map::oid, type_map::type>, 27> table{{
        {16, {value_kind::boolean, {}}},        // bool
        {17, {value_kind::bytea, {}}},          // bytea
        {18, {value_kind::text, {}}},           // "char", one byte
        {19, {value_kind::text, {}}},           // name
        {20, {value_kind::int8, {}}},           // int8
        {21, {value_kind::int2, {}}},           // int2
        {23, {value_kind::int4, {}}},           // int4
        {25, {value_kind::text, {}}},           // text
        {26, {value_kind::oid, {}}},            // oid
        {114, {value_kind::text, {}}},          // json
        {142, {value_kind::text, {}}},          // xml
        {700, {value_kind::float4, {}}},        // float4
        {701, {value_kind::float8, {}}},        // float8
        {705, {value_kind::text, {}}},          // unknown
        {1042, {value_kind::text, {}}},         // bpchar
        {1043, {value_kind::text, {}}},         // varchar
        {1082, {value_kind::date, {}}},         // date
        {1083, {value_kind::time, {}}},         // time
        {1114, {value_kind::timestamp, {}}},    // timestamp
        {1184, {value_kind::timestamptz, {}}},  // timestamptz
        {1186, {value_kind::interval, {}}},     // interval
        {1700, {value_kind::numeric, {}}},      // numeric
        {2950, {value_kind::uuid, {}}},         // uuid
        {3802, {value_kind::jsonb, {}}},        // jsonb
        {28, {value_kind::oid, {}}},            // xid
        {29, {value_kind::oid, {}}},            // cid
        {2275, {value_kind::text, {}}},         // cstring
    }};
    return table;
}

}  // namespace

const type_map::type* type_map::find(oid number) const {
    const auto learned = learned_.find(number);
    if (learned != learned_.end()) return &learned->second;
    for (const auto& [known, decoded] : built_in()) {
        if (known == number) return &decoded;
    }
    return nullptr;
}

void type_map::learn(oid number, char typtype, std::string name) {
    const auto* known = find(number);
    auto kind = typtype == 'e' ? value_kind::text : value_kind::unsupported;
    if (known && known->kind != value_kind::unsupported) kind = known->kind;
    learned_[number] = type{kind, std::move(name)};
}

}  // namespace exportd::pg
