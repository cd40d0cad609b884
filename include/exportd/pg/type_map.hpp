#pragma once

#include <exportd/rows/column.hpp>

#include <optional>
#include <string>
#include <unordered_map>

namespace exportd::pg {

// PostgreSQL's type numbers and how their binary form is read. Knows the built-in types that
// have a decoder; everything else is learned from pg_type, once. Plain state, no I/O.
class type_map {
public:
    using oid = unsigned int;

    struct type {
        rows::value_kind kind = rows::value_kind::unsupported;
        std::string name;  // format_type(); empty for a built-in type that was not looked up
    };

    // Null when the type has to be looked up in pg_type first.
    const type* find(oid number) const;

    // `typtype` is pg_type's: an enum's binary form is its label.
    void learn(oid number, char typtype, std::string name);

private:
    std::unordered_map<oid, type> learned_;
};

}  // namespace exportd::pg
