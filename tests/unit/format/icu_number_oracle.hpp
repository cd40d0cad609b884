#pragma once

#include <unicode/numberformatter.h>
#include <unicode/ucurr.h>

#include <map>
#include <stdexcept>
#include <string>

namespace exportd::format::test {

// ICU, asked directly for each number, as Intl asks it.
class icu_number_oracle {
public:
    explicit icu_number_oracle(const char* locale)
        : locale_(icu::Locale::forLanguageTag(locale, status_)) {}

    std::string money(const std::string& amount, const std::string& code) {
        auto at = formats_.find(code);
        if (at == formats_.end()) {
            const icu::CurrencyUnit unit(icu::StringPiece(code), status_);
            const int digits = ucurr_getDefaultFractionDigits(unit.getISOCurrency(), &status_);
            at = formats_
                     .emplace(code, base().unit(unit).precision(
                                        icu::number::Precision::fixedFraction(digits)))
                     .first;
        }
        return text(at->second, amount);
    }

    std::string number(const std::string& n, int digits) {
        return text(base().precision(icu::number::Precision::fixedFraction(digits)), n);
    }

private:
    icu::number::LocalizedNumberFormatter base() const {
        return icu::number::NumberFormatter::withLocale(locale_)
            .roundingMode(UNUM_ROUND_HALFUP)
            .sign(UNUM_SIGN_NEGATIVE);
    }
    std::string text(const icu::number::LocalizedNumberFormatter& format, const std::string& n) {
        std::string out;
        format.formatDecimal(icu::StringPiece(n), status_).toString(status_).toUTF8String(out);
        if (U_FAILURE(status_)) throw std::runtime_error(u_errorName(status_));
        return out;
    }

    UErrorCode status_ = U_ZERO_ERROR;
    icu::Locale locale_;
    std::map<std::string, icu::number::LocalizedNumberFormatter> formats_;
};

}  // namespace exportd::format::test
