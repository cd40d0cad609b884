#include "icu_zone.hpp"

#include "civil.hpp"
#include <cmath>

namespace exportd::format {

namespace {

constexpr std::int64_t unix_epoch_millis = 946'684'800'000;
constexpr std::int32_t hour_millis = 3'600'000;

class tabled_zone final : public icu::TimeZone {
public:
    explicit tabled_zone(std::shared_ptr<const time_zone> zone)
        : icu::TimeZone(icu::UnicodeString::fromUTF8(zone->name())),
          zone_(std::move(zone)),
          icu_own_(icu::TimeZone::createTimeZone(icu::UnicodeString::fromUTF8(zone_->name()))) {}

    tabled_zone(const tabled_zone& other)
        : icu::TimeZone(other), zone_(other.zone_), icu_own_(other.icu_own_->clone()) {}
    tabled_zone& operator=(const tabled_zone&) = delete;

    std::int32_t getOffset(std::uint8_t era, std::int32_t year, std::int32_t month,
                           std::int32_t day, std::uint8_t, std::int32_t millis,
                           UErrorCode& status) const override {
        if (U_FAILURE(status)) return 0;
        const std::int64_t y = era == 1 ? year : 1 - year;
        const std::int64_t days =
            days_from_civil(y, static_cast<unsigned>(month + 1), static_cast<unsigned>(day));
        std::int32_t raw = 0;
        std::int32_t saving = 0;
        getOffset(static_cast<UDate>(days * 86'400'000 + millis + unix_epoch_millis), true, raw,
                  saving, status);
        return raw + saving;
    }

    std::int32_t getOffset(std::uint8_t era, std::int32_t year, std::int32_t month,
                           std::int32_t day, std::uint8_t weekday, std::int32_t millis,
                           std::int32_t, UErrorCode& status) const override {
        return getOffset(era, year, month, day, weekday, millis, status);
    }

    void getOffset(UDate date, UBool local, std::int32_t& raw, std::int32_t& saving,
                   UErrorCode& status) const override {
        if (U_FAILURE(status)) return;
        std::int64_t utc = (static_cast<std::int64_t>(std::floor(date)) - unix_epoch_millis) * 1000;
        if (local) utc -= zone_->at(utc - zone_->at(utc).offset).offset;
        const auto now = zone_->at(utc);
        const auto offset = static_cast<std::int32_t>(now.offset / 1000);
        const auto unix_millis = static_cast<UDate>(floor_div(utc, 1000) + unix_epoch_millis);
        // What is summer time is a matter of names (Ireland's is called standard time), so ICU
        // decides it as long as it has the same offset.
        icu_own_->getOffset(unix_millis, false, raw, saving, status);
        if (raw + saving == offset) return;
        saving = now.daylight ? hour_millis : 0;
        raw = offset - saving;
    }

    void setRawOffset(std::int32_t) override {}
    std::int32_t getRawOffset() const override { return icu_own_->getRawOffset(); }
    UBool useDaylightTime() const override { return icu_own_->useDaylightTime(); }

    UBool inDaylightTime(UDate date, UErrorCode& status) const override {
        std::int32_t raw = 0;
        std::int32_t saving = 0;
        getOffset(date, false, raw, saving, status);
        return saving != 0;
    }

    tabled_zone* clone() const override { return new tabled_zone(*this); }

    static UClassID getStaticClassID() {
        static const char id = 0;
        return const_cast<char*>(&id);
    }
    UClassID getDynamicClassID() const override { return getStaticClassID(); }

private:
    std::shared_ptr<const time_zone> zone_;
    std::unique_ptr<icu::TimeZone> icu_own_;
};

}  // namespace

std::unique_ptr<icu::TimeZone> make_icu_zone(std::shared_ptr<const time_zone> zone) {
    return std::make_unique<tabled_zone>(std::move(zone));
}

}  // namespace exportd::format
