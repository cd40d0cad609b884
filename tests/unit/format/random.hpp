#pragma once

#include <cstdint>
#include <random>
#include <string>

namespace exportd::format::test {

// Values from a fixed seed, which a failing check has to print.
class random {
public:
    explicit random(std::uint64_t seed) : engine_(seed) {}

    std::uint64_t bits() { return engine_(); }
    // 0 <= n < limit
    std::uint64_t below(std::uint64_t limit) { return engine_() % limit; }
    bool chance(unsigned one_in) { return below(one_in) == 0; }

    // A number with up to `digits` digits before the point and `fraction` behind; often all
    // nines, or a half, where rounding carries.
    std::string number(unsigned digits, unsigned fraction) {
        std::string text = chance(2) ? "-" : "";
        const std::uint64_t whole = 1 + below(digits);
        const char fill = static_cast<char>('0' + below(10));
        const bool filled = chance(3);
        for (std::uint64_t i = 0; i < whole; ++i) {
            const auto low = static_cast<std::uint64_t>(i == 0 && whole > 1 ? 1 : 0);
            char digit = static_cast<char>('0' + low + below(10 - low));
            if (filled && fill != '0') digit = fill;
            text += digit;
        }
        const std::uint64_t behind = below(fraction + 1);
        if (behind != 0) text += '.';
        for (std::uint64_t i = 0; i < behind; ++i) {
            text += filled ? fill : static_cast<char>('0' + below(10));
        }
        if (behind != 0 && chance(4)) text.back() = '5';
        return text;
    }

private:
    std::mt19937_64 engine_;
};

}  // namespace exportd::format::test
