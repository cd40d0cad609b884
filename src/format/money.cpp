#include <exportd/format/money.hpp>

#include "decimal_digits.hpp"
#include "icu_locale.hpp"
#include "icu_number.hpp"
#include "number_shape.hpp"
#include "shape_check.hpp"
#include <algorithm>
#include <array>
#include <map>

namespace exportd::format {

namespace {

constexpr std::size_t code_count = 26 * 26 * 26;

// The place of a code among all there can be, or code_count if this is none.
std::size_t code_index(std::string_view code) noexcept {
    if (code.size() != 3) return code_count;
    const auto letter = [code](std::size_t i) {
        return static_cast<unsigned>(static_cast<unsigned char>(code[i])) - unsigned{'A'};
    };
    if (letter(0) >= 26 || letter(1) >= 26 || letter(2) >= 26) return code_count;
    return (letter(0) * 26 + letter(1)) * 26 + letter(2);
}

std::string_view without_blanks(std::string_view text) noexcept {
    const auto last = text.find_last_not_of(' ');
    return text.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

struct currency {
    number_shape shape;
    fraction_digits digits;
    std::optional<icu_number> icu;  // set if the shape is not right
};

// Whether two currencies differ by nothing but what stands before and behind the digits.
bool same_form(const currency& a, const currency& b) noexcept {
    number_shape shape = a.shape;
    shape.prefix = b.shape.prefix;
    shape.suffix = b.shape.suffix;
    shape.affix_is_special = b.shape.affix_is_special;
    return !a.icu && !b.icu && a.digits.max == b.digits.max && shape == b.shape;
}

// `checked` are currencies whose forms need no thorough check any more.
currency learn(const std::string& locale, const std::string& code,
               const std::vector<currency>& checked) {
    icu_number icu({.locale = locale, .currency = code, .digits = {}});
    currency c{.shape = {}, .digits = icu.digits(), .icu = {}};
    if (const auto shape = icu.learn_shape()) {
        c.shape = *shape;
        const bool seen = std::any_of(checked.begin(), checked.end(),
                                      [&](const currency& other) { return same_form(c, other); });
        const auto how = seen ? thoroughness::affixes : thoroughness::every_branch;
        if (agrees_with_icu(*shape, icu, false, how)) return c;
    }
    c.icu = std::move(icu);
    return c;
}

// The same affix with another code in it.
template <std::size_t N>
void replace_code(piece<N>& affix, std::string_view from, std::string_view to) noexcept {
    const auto at = affix.view().find(from);
    if (at != std::string_view::npos) std::copy(to.begin(), to.end(), affix.bytes.begin() + at);
}

currency with_code(const currency& c, std::string_view from, std::string_view to) {
    currency result{.shape = c.shape, .digits = c.digits, .icu = {}};
    for (std::size_t i = 0; i < 2; ++i) {
        replace_code(result.shape.prefix[i], from, to);
        replace_code(result.shape.suffix[i], from, to);
    }
    return result;
}

}  // namespace

struct money_formatter::state {
    std::string locale;
    std::vector<currency> known;
    // The place of a code in `known`, plus one; 0 for a code that ICU does not know.
    std::array<std::uint16_t, code_count> places{};
    // What an unknown code looks like, and the code that it was learned with; null if there is
    // no one form, and each unknown code has to be learned when it is met.
    std::optional<currency> generic;
    std::string generic_code;
    bool fast = true;
    csv_class quoting = csv_class::may_need_quotes;
    mutable std::map<std::string, currency, std::less<>> met;
    mutable std::string scratch;

    void learn_known();
    void learn_generic();
    void find_quoting();
    const currency& find(std::size_t index, std::string_view code) const;
    const currency& meet(std::string_view code) const;
};

void money_formatter::state::learn_known() {
    for (const std::string& code : icu_currencies()) {
        if (code_index(code) == code_count) continue;
        known.push_back(learn(locale, code, known));
        places[code_index(code)] = static_cast<std::uint16_t>(known.size());
        fast = fast && !known.back().icu;
    }
}

void money_formatter::state::learn_generic() {
    std::vector<std::string> codes;
    for (const std::string code : {"QQQ", "AAA", "ZZZ", "QXW", "AZQ"}) {
        if (places[code_index(code)] == 0) codes.push_back(code);
    }
    generic_code = codes.at(0);
    generic = learn(locale, generic_code, known);
    for (std::size_t i = 1; generic && i < codes.size(); ++i) {
        const currency other = learn(locale, codes[i], known);
        if (generic->icu || other.icu || other.digits.max != generic->digits.max ||
            with_code(*generic, generic_code, codes[i]).shape != other.shape) {
            generic.reset();
        }
    }
    fast = fast && generic;
}

void money_formatter::state::find_quoting() {
    const auto always = [](const currency& c) {
        return !c.icu && c.shape.quoting(c.digits.min > 0, c.digits.max > 0) ==
                             csv_class::always_needs_quotes;
    };
    if (generic && always(*generic) && std::all_of(known.begin(), known.end(), always)) {
        quoting = csv_class::always_needs_quotes;
    }
}

const currency& money_formatter::state::find(std::size_t index, std::string_view code) const {
    const auto place = places[index];
    return place != 0 ? known[place - 1U] : meet(code);
}

const currency& money_formatter::state::meet(std::string_view code) const {
    if (const auto at = met.find(code); at != met.end()) return at->second;
    // Bounded by the number of codes that there can be.
    const std::string text(code);
    return met
        .emplace(text,
                 generic ? with_code(*generic, generic_code, code) : learn(locale, text, known))
        .first->second;
}

std::unique_ptr<money_formatter> money_formatter::create(std::string_view locale) {
    auto s = std::make_unique<state>();
    s->locale = icu_locale_id(locale, false);
    s->learn_known();
    s->learn_generic();
    s->find_quoting();
    return std::unique_ptr<money_formatter>(new money_formatter(std::move(s)));
}

money_formatter::money_formatter(std::unique_ptr<state> s) : state_(std::move(s)) {
}
money_formatter::~money_formatter() = default;

text_flags money_formatter::append(rows::byte_buffer& out, const decimal& amount,
                                   const std::optional<std::string_view>& currency_code) const {
    const std::string_view stored = currency_code ? *currency_code : std::string_view{};
    const std::string_view code = stored.size() == 3 ? stored : without_blanks(stored);
    if (const std::size_t index = code_index(code); index != code_count) {
        if (!amount.is_finite()) {
            out.append(special_text(amount.what));
            return {};
        }
        const currency& c = state_->find(index, code);
        if (c.icu) return write_through_icu(*c.icu, out, amount);
        return write_rounded(c.shape, out, amount, c.digits, state_->scratch);
    }
    append_plain(out, amount);
    const std::string_view shown = without_blanks(stored);
    if (shown.empty()) return {.fallback = true, .needs_quotes = false};
    out.append(" ");
    out.append(shown);
    return {.fallback = true, .needs_quotes = has_special_char(shown)};
}

bool money_formatter::fast() const noexcept {
    return state_->fast;
}
csv_class money_formatter::quoting() const noexcept {
    return state_->quoting;
}

}  // namespace exportd::format
