#pragma once

#include <exportd/format/text.hpp>
#include <exportd/rows/byte_buffer.hpp>

#include "number_shape.hpp"
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace exportd::format {

// The words and digits of a locale's dates.
struct date_symbols {
    using words = std::vector<std::string>;

    std::array<words, 3> months;        // January first; wide, abbreviated, narrow
    std::array<words, 3> months_alone;  // without a day beside them
    std::array<words, 4> weekdays;      // Sunday first; wide, abbreviated, narrow, short
    std::array<words, 4> weekdays_alone;
    std::array<words, 2> periods;    // AM, PM; usual, narrow
    std::array<std::string, 3> era;  // of the years from 1 on; wide, abbreviated, narrow
    std::array<std::string, 10> digits;
};

// A pattern of Unicode TR 35 for the Gregorian calendar that can be written without ICU. Keeps
// the text of one day, into which the time is put.
class date_shape {
public:
    // Null if the pattern has a field, or the symbols have a text, that is not supported here.
    static std::optional<date_shape> create(std::string_view pattern, const date_symbols& symbols);

    // Prepares the text of a day, days since 2000-01-01, in the year 1 or later.
    void set_day(std::int64_t days);

    // Appends the text of a time on that day, in seconds since midnight; < 86400.
    text_flags write(rows::byte_buffer& out, unsigned second_of_day) const;

    csv_class quoting() const noexcept;

private:
    // What has to be known for a field: the day, or (from `hour` on) the time.
    enum class field : std::uint8_t {
        literal,
        year,
        year_of_century,
        month,
        month_name,
        day,
        weekday_name,
        hour,                  // 0 to 23
        hour_from_1,           // 1 to 24
        half_day_hour,         // 0 to 11
        half_day_hour_from_1,  // 1 to 12
        minute,
        second,
        period,
    };
    struct token {
        field what = field::literal;
        unsigned width = 1;         // least number of digits
        date_symbols::words words;  // of a name; the text of a literal
    };
    struct clock {
        unsigned hour, minute, second;
    };
    // A part of the time, and what of the day's text stands before it.
    struct slot {
        field what = field::literal;
        unsigned width = 1;
        std::size_t text_begin = 0;
        std::size_t text_end = 0;
        date_symbols::words words;
    };

    static bool is_of_day(field f) noexcept { return f < field::hour; }
    static std::optional<token> make_token(char letter, unsigned count,
                                           const date_symbols& symbols);
    static unsigned value_of(field what, const clock& now) noexcept;
    bool parse(std::string_view pattern, const date_symbols& symbols);
    void put_day_field(const token& t, std::int64_t days);
    void put_number(std::string& out, std::uint64_t n, unsigned width) const;
    char* put_slot(char* out, const slot& s, const clock& now) const;
    void make_whole();
    char* put_whole(char* out, const clock& now) const;

    std::vector<token> tokens_;
    std::array<std::string, 10> digits_;
    std::array<piece<8>, 100> two_digits_;
    std::size_t digit_size_ = 1;
    std::size_t most_word_bytes_ = 0;

    std::string text_;  // of the day, without the slots
    std::vector<slot> slots_;
    std::size_t tail_begin_ = 0;  // what stands behind the last slot
    bool day_needs_quotes_ = false;

    // If all slots always have two digits: the text with room for them, copied in one go.
    bool fixed_ = false;
    std::array<char, 64> whole_{};
    std::size_t whole_size_ = 0;
    std::array<std::size_t, 3> slot_at_{};
    bool plain_clock_ = false;  // these are hour, minute and second, in ASCII
};

}  // namespace exportd::format
