#pragma once

#include <exportd/format/decimal.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace exportd::format::test {

inline void put_u16(std::string& out, unsigned value) {
    out += static_cast<char>(value >> 8);
    out += static_cast<char>(value & 255);
}

// The bytes numeric_send gives for a number such as `-1234.50` or NaN: no groups of zeros at
// either end, dscale as many digits as there are behind the point.
inline std::string numeric_wire(std::string_view text) {
    std::string wire;
    const auto special = [&](unsigned sign) {
        for (const unsigned field : {0U, 0U, sign, 0U})
            put_u16(wire, field);
        return wire;
    };
    if (text == "NaN") return special(0xC000);
    if (text == "Infinity") return special(0xD000);
    if (text == "-Infinity") return special(0xF000);
    const bool negative = text.starts_with('-');
    if (negative) text.remove_prefix(1);
    const std::size_t point = std::min(text.find('.'), text.size());
    std::string whole(text.substr(0, point));
    std::string fraction(point < text.size() ? text.substr(point + 1) : std::string_view{});
    const auto dscale = static_cast<unsigned>(fraction.size());
    whole.insert(0, (4 - whole.size() % 4) % 4, '0');
    fraction.append((4 - fraction.size() % 4) % 4, '0');
    int weight = static_cast<int>(whole.size() / 4) - 1;
    const std::string digits = whole + fraction;
    std::vector<unsigned> groups;
    for (std::size_t i = 0; i < digits.size(); i += 4) {
        groups.push_back(static_cast<unsigned>(std::stoul(digits.substr(i, 4))));
    }
    while (!groups.empty() && groups.back() == 0)
        groups.pop_back();
    while (!groups.empty() && groups.front() == 0) {
        groups.erase(groups.begin());
        --weight;
    }
    put_u16(wire, static_cast<unsigned>(groups.size()));
    put_u16(wire, groups.empty() ? 0U : static_cast<unsigned>(weight) & 0xFFFFU);
    put_u16(wire, negative && !groups.empty() ? 0x4000 : 0);
    put_u16(wire, dscale);
    for (const unsigned group : groups)
        put_u16(wire, group);
    return wire;
}

// A number and the bytes that it refers to.
class number {
public:
    explicit number(std::string_view text) : wire_(numeric_wire(text)) {}
    decimal value() const { return parse_numeric(wire_).value(); }

private:
    std::string wire_;
};

}  // namespace exportd::format::test
