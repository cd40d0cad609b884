#include "date_shape.hpp"

#include "civil.hpp"
#include <algorithm>

namespace exportd::format {

namespace {

bool is_letter(char c) noexcept {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

// The place of a width in the tables of names: 3 abbreviated, 4 wide, 5 narrow, 6 short.
std::size_t name_width(unsigned count) noexcept {
    switch (count) {
        case 4:
            return 0;
        case 5:
            return 2;
        case 6:
            return 3;
        default:
            return 1;
    }
}

// A name that could make a text special wherever it stands is left to ICU.
bool is_plain_word(const std::string& word) {
    return !is_special_text(word);
}

}  // namespace

std::optional<date_shape> date_shape::create(std::string_view pattern,
                                             const date_symbols& symbols) {
    date_shape shape;
    shape.digits_ = symbols.digits;
    shape.digit_size_ = symbols.digits[0].size();
    for (const auto& digit : symbols.digits) {
        if (digit.size() != shape.digit_size_ || digit.size() > 4 || digit.empty())
            return std::nullopt;
    }
    for (std::size_t i = 0; i < 100; ++i) {
        if (!shape.two_digits_[i].assign(symbols.digits[i / 10] + symbols.digits[i % 10])) {
            return std::nullopt;
        }
    }
    if (!shape.parse(pattern, symbols)) return std::nullopt;
    for (const token& t : shape.tokens_) {
        if (is_of_day(t.what)) continue;
        shape.slots_.push_back({.what = t.what, .width = t.width, .words = t.words});
        for (const auto& word : t.words) {
            shape.most_word_bytes_ = std::max(shape.most_word_bytes_, word.size());
        }
    }
    shape.fixed_ = shape.slots_.size() <= shape.slot_at_.size() &&
                   std::all_of(shape.slots_.begin(), shape.slots_.end(), [](const slot& s) {
                       return s.what != field::period && s.width == 2;
                   });
    shape.plain_clock_ = shape.fixed_ && shape.digit_size_ == 1 && shape.slots_.size() == 3 &&
                         shape.slots_[0].what == field::hour &&
                         shape.slots_[1].what == field::minute &&
                         shape.slots_[2].what == field::second;
    return shape;
}

bool date_shape::parse(std::string_view pattern, const date_symbols& symbols) {
    const auto literal = [&](char c) {
        if (tokens_.empty() || tokens_.back().what != field::literal) {
            tokens_.push_back({.what = field::literal, .width = 1, .words = {std::string{}}});
        }
        tokens_.back().words[0] += c;
    };
    bool quoted = false;
    for (std::size_t i = 0; i < pattern.size();) {
        const char c = pattern[i];
        if (c == '\'') {
            // Two of them are one, inside of quotes and outside.
            const bool twice = i + 1 < pattern.size() && pattern[i + 1] == '\'';
            if (twice)
                literal('\'');
            else
                quoted = !quoted;
            i += twice ? 2 : 1;
        } else if (quoted || !is_letter(c)) {
            literal(c);
            ++i;
        } else {
            const std::size_t end = std::min(pattern.find_first_not_of(c, i), pattern.size());
            auto t = make_token(c, static_cast<unsigned>(end - i), symbols);
            if (!t) return false;
            const bool plain = std::all_of(t->words.begin(), t->words.end(), is_plain_word);
            if (t->what != field::literal && !plain) return false;
            tokens_.push_back(std::move(*t));
            i = end;
        }
    }
    return !tokens_.empty();
}

std::optional<date_shape::token> date_shape::make_token(char letter, unsigned count,
                                                        const date_symbols& symbols) {
    const auto number = [&](field what) {
        return token{.what = what, .width = count, .words = {}};
    };
    const auto name = [&](field what, const date_symbols::words& words) {
        return token{.what = what, .width = 1, .words = words};
    };
    const std::size_t width = name_width(count);
    if (count > 6) return std::nullopt;
    switch (letter) {
        case 'y':
            return number(count == 2 ? field::year_of_century : field::year);
        case 'M':
        case 'L':
            if (count <= 2) return number(field::month);
            if (count > 5) return std::nullopt;
            return name(field::month_name,
                        letter == 'M' ? symbols.months[width] : symbols.months_alone[width]);
        case 'd':
            return number(field::day);
        case 'E':
            return name(field::weekday_name, symbols.weekdays[width]);
        case 'c':
            if (count <= 2) return std::nullopt;
            return name(field::weekday_name, symbols.weekdays_alone[width]);
        case 'G':
            if (count > 5) return std::nullopt;
            return name(field::literal, {symbols.era[width]});
        case 'H':
            return number(field::hour);
        case 'k':
            return number(field::hour_from_1);
        case 'K':
            return number(field::half_day_hour);
        case 'h':
            return number(field::half_day_hour_from_1);
        case 'm':
            return number(field::minute);
        case 's':
            return number(field::second);
        case 'a':
            return name(field::period, symbols.periods[count == 5 ? 1 : 0]);
        default:
            return std::nullopt;
    }
}

void date_shape::put_number(std::string& out, std::uint64_t n, unsigned width) const {
    std::array<unsigned, 24> digits;
    std::size_t count = 0;
    for (; n != 0 || count < std::max(width, 1U); n /= 10) {
        digits[count++] = static_cast<unsigned>(n % 10);
    }
    while (count != 0)
        out += digits_[digits[--count]];
}

void date_shape::put_day_field(const token& t, std::int64_t days) {
    const civil_day date = civil_from_days(days);
    const auto year = static_cast<std::uint64_t>(date.year);
    switch (t.what) {
        case field::literal:
            text_ += t.words[0];
            break;
        case field::year:
            put_number(text_, year, t.width);
            break;
        case field::year_of_century:
            put_number(text_, year % 100, 2);
            break;
        case field::month:
            put_number(text_, date.month, t.width);
            break;
        case field::month_name:
            text_ += t.words[date.month - 1];
            break;
        case field::day:
            put_number(text_, date.day, t.width);
            break;
        case field::weekday_name:
            text_ += t.words[weekday_from_days(days)];
            break;
        default:
            break;
    }
}

void date_shape::set_day(std::int64_t days) {
    text_.clear();
    std::size_t next = 0;
    std::size_t begin = 0;
    for (const token& t : tokens_) {
        if (is_of_day(t.what)) {
            put_day_field(t, days);
            continue;
        }
        slots_[next].text_begin = begin;
        slots_[next].text_end = begin = text_.size();
        ++next;
    }
    tail_begin_ = begin;
    const bool starts_with_text = slots_.empty() || slots_[0].text_end != 0;
    day_needs_quotes_ = has_special_char(text_) || (starts_with_text && text_.starts_with(' ')) ||
                        (tail_begin_ != text_.size() && text_.ends_with(' '));
    if (fixed_) make_whole();
}

void date_shape::make_whole() {
    const std::size_t room = 2 * digit_size_;
    const std::size_t size = text_.size() + slots_.size() * room;
    whole_size_ = 0;
    // The last slot is written with a whole piece<8>, which may reach over the end.
    if (size > whole_.size()) return;
    whole_size_ = size;
    char* at = whole_.data();
    for (std::size_t i = 0; i < slots_.size(); ++i) {
        const auto from = text_.begin() + static_cast<std::ptrdiff_t>(slots_[i].text_begin);
        const auto to = text_.begin() + static_cast<std::ptrdiff_t>(slots_[i].text_end);
        at = std::copy(from, to, at);
        slot_at_[i] = static_cast<std::size_t>(at - whole_.data());
        at += room;
    }
    std::copy(text_.begin() + static_cast<std::ptrdiff_t>(tail_begin_), text_.end(), at);
}

unsigned date_shape::value_of(field what, const clock& now) noexcept {
    switch (what) {
        case field::hour:
            return now.hour;
        case field::hour_from_1:
            return now.hour == 0 ? 24 : now.hour;
        case field::half_day_hour:
            return now.hour % 12;
        case field::half_day_hour_from_1:
            return now.hour % 12 == 0 ? 12 : now.hour % 12;
        case field::minute:
            return now.minute;
        case field::second:
            return now.second;
        default:
            return 0;
    }
}

char* date_shape::put_slot(char* out, const slot& s, const clock& now) const {
    if (s.what == field::period) {
        const std::string& word = s.words[now.hour < 12 ? 0 : 1];
        return std::copy(word.begin(), word.end(), out);
    }
    const unsigned n = value_of(s.what, now);
    for (unsigned i = 2; i < s.width; ++i) {
        out = std::copy(digits_[0].begin(), digits_[0].end(), out);
    }
    if (n < 10 && s.width == 1) return std::copy(digits_[n].begin(), digits_[n].end(), out);
    return two_digits_[n].put(out);
}

char* date_shape::put_whole(char* out, const clock& now) const {
    if (whole_size_ <= 32)
        std::memcpy(out, whole_.data(), 32);
    else
        std::memcpy(out, whole_.data(), whole_.size());
    if (plain_clock_) {
        std::memcpy(out + slot_at_[0], two_digits_[now.hour].bytes.data(), 2);
        std::memcpy(out + slot_at_[1], two_digits_[now.minute].bytes.data(), 2);
        std::memcpy(out + slot_at_[2], two_digits_[now.second].bytes.data(), 2);
        return out + whole_size_;
    }
    for (std::size_t i = 0; i < slots_.size(); ++i) {
        const piece<8>& two = two_digits_[value_of(slots_[i].what, now)];
        std::memcpy(out + slot_at_[i], two.bytes.data(), two.size);
    }
    return out + whole_size_;
}

text_flags date_shape::write(rows::byte_buffer& out, unsigned second_of_day) const {
    const unsigned minute_of_day = second_of_day / 60;
    const clock now{minute_of_day / 60, minute_of_day % 60, second_of_day % 60};
    const text_flags flags{.fallback = false, .needs_quotes = day_needs_quotes_};
    if (whole_size_ != 0) {
        out.commit(put_whole(out.ensure(whole_.size()), now));
        return flags;
    }
    char* at = out.ensure(text_.size() + slots_.size() * (most_word_bytes_ + 6 * 4 + 8));
    for (const slot& s : slots_) {
        std::memcpy(at, text_.data() + s.text_begin, s.text_end - s.text_begin);
        at = put_slot(at + (s.text_end - s.text_begin), s, now);
    }
    std::memcpy(at, text_.data() + tail_begin_, text_.size() - tail_begin_);
    out.commit(at + (text_.size() - tail_begin_));
    return flags;
}

csv_class date_shape::quoting() const noexcept {
    // Names are plain words, so literals alone decide, and they are in every text.
    const auto special = [this](const token& t) {
        return t.what == field::literal &&
               (has_special_char(t.words[0]) ||
                (&t == &tokens_.front() && t.words[0].starts_with(' ')) ||
                (&t == &tokens_.back() && t.words[0].ends_with(' ')));
    };
    return std::any_of(tokens_.begin(), tokens_.end(), special) ? csv_class::always_needs_quotes
                                                                : csv_class::never_needs_quotes;
}

}  // namespace exportd::format
