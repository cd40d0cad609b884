#pragma once

#include <unicode/gregocal.h>
#include <unicode/smpdtfmt.h>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>

namespace exportd::format::test {

// ICU, asked directly for each date-time, in a zone that stands still.
class icu_date_oracle {
public:
    icu_date_oracle(const char* locale, icu::DateFormat::EStyle date,
                    icu::DateFormat::EStyle time) {
        UErrorCode status = U_ZERO_ERROR;
        const auto l = icu::Locale::forLanguageTag(locale, status);
        format_.reset(icu::DateFormat::createDateTimeInstance(date, time, l));
        auto* calendar =
            icu::Calendar::createInstance(icu::TimeZone::createTimeZone("UTC"), l, status);
        if (calendar->getDynamicClassID() == icu::GregorianCalendar::getStaticClassID()) {
            static_cast<icu::GregorianCalendar*>(calendar)->setGregorianChange(-8.64e15, status);
        }
        format_->adoptCalendar(calendar);
        if (U_FAILURE(status)) throw std::runtime_error(u_errorName(status));
    }

    std::string text(std::int64_t local) const {
        std::int64_t millis = local / 1000 - (local % 1000 < 0 ? 1 : 0);
        icu::UnicodeString text;
        format_->format(static_cast<double>(millis + 946'684'800'000), text);
        text.findAndReplace(icu::UnicodeString(char16_t{0x202F}), icu::UnicodeString(u' '));
        std::string out;
        return text.toUTF8String(out);
    }

private:
    std::unique_ptr<icu::DateFormat> format_;
};

}  // namespace exportd::format::test
