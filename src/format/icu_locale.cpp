#include "icu_locale.hpp"

#include <exportd/format/versions.hpp>

#include <unicode/locid.h>
#include <unicode/numsys.h>
#include <unicode/uenum.h>
#include <unicode/uloc.h>
#include <unicode/ulocdata.h>
#include <unicode/uversion.h>

#include <memory>
#include <set>
#include <stdexcept>

namespace exportd::format {

namespace {

// BCP 47 tags of all locales with data, also under their older names (zh-TW).
std::set<std::string> available_tags() {
    std::set<std::string> tags;
    UErrorCode status = U_ZERO_ERROR;
    const std::unique_ptr<UEnumeration, decltype(&uenum_close)> ids(
        uloc_openAvailableByType(ULOC_AVAILABLE_WITH_LEGACY_ALIASES, &status), &uenum_close);
    if (U_FAILURE(status)) throw std::runtime_error("ICU has no locale data");
    while (const char* id = uenum_next(ids.get(), nullptr, &status)) {
        const auto tag = icu::Locale(id).toLanguageTag<std::string>(status);
        if (U_SUCCESS(status)) tags.insert(tag);
        status = U_ZERO_ERROR;
    }
    return tags;
}

// BestAvailableLocale of ECMA-402: drops subtags from the end until there is data.
std::string best_available(std::string tag) {
    const std::set<std::string> tags = available_tags();
    while (!tag.empty() && !tags.contains(tag)) {
        auto dash = tag.rfind('-');
        if (dash == std::string::npos) return {};
        if (dash >= 2 && tag[dash - 2] == '-') dash -= 2;
        tag.resize(dash);
    }
    return tag;
}

bool is_valid_extension(const std::string& key, const std::string& value) {
    if (value.empty()) return false;
    if (key != "nu") return true;
    UErrorCode status = U_ZERO_ERROR;
    const std::unique_ptr<icu::NumberingSystem> system(
        icu::NumberingSystem::createInstanceByName(value.c_str(), status));
    return U_SUCCESS(status) && system && !system->isAlgorithmic() && value != "native" &&
           value != "traditio" && value != "finance";
}

}  // namespace

std::string icu_locale_id(std::string_view tag, bool dates) {
    const auto unknown = [&] {
        return std::invalid_argument("unknown locale \"" + std::string(tag) + "\"");
    };
    if (tag.empty() || tag.find('\0') != std::string_view::npos) throw unknown();
    UErrorCode status = U_ZERO_ERROR;
    char id[ULOC_FULLNAME_CAPACITY];
    std::int32_t parsed = 0;
    const std::string text(tag);
    uloc_forLanguageTag(text.c_str(), id, sizeof id, &parsed, &status);
    if (U_FAILURE(status) || static_cast<std::size_t>(parsed) != tag.size()) throw unknown();
    icu::Locale wanted = icu::Locale::createCanonical(id);
    const icu::Locale base = icu::Locale(wanted.getBaseName());
    const std::string best = best_available(base.toLanguageTag<std::string>(status));
    if (U_FAILURE(status) || best.empty()) throw unknown();

    icu::Locale resolved = icu::Locale::forLanguageTag(best, status);
    for (const std::string key : {"nu", "ca", "hc"}) {
        if (key != "nu" && !dates) continue;
        UErrorCode missing = U_ZERO_ERROR;
        const auto value = wanted.getUnicodeKeywordValue<std::string>(key, missing);
        if (U_FAILURE(missing) || !is_valid_extension(key, value)) continue;
        resolved.setUnicodeKeywordValue(key, value, missing);
    }
    if (U_FAILURE(status)) throw unknown();
    return resolved.getName();
}

std::string icu_version() {
    return U_ICU_VERSION;
}

std::string cldr_version() {
    UErrorCode status = U_ZERO_ERROR;
    UVersionInfo version;
    ulocdata_getCLDRVersion(version, &status);
    if (U_FAILURE(status)) return "unknown";
    char text[U_MAX_VERSION_STRING_LENGTH];
    u_versionToString(version, text);
    return text;
}

}  // namespace exportd::format
