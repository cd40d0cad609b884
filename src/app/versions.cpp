#include <exportd/app/application.hpp>
#include <exportd/format/time_zone.hpp>
#include <exportd/format/versions.hpp>
#include <exportd/observe/versions.hpp>
#include <exportd/pg/version.hpp>

#include <boost/version.hpp>
#include <fmt/format.h>
#include <openssl/crypto.h>

namespace exportd::app {

version_list versions() {
    return {
        {"exportd", EXPORTD_VERSION},
        {"boost", fmt::format("{}.{}.{}", BOOST_VERSION / 100'000, BOOST_VERSION / 100 % 1000,
                              BOOST_VERSION % 100)},
        {"libpq", pg::libpq_version()},
        {"icu", format::icu_version()},
        {"cldr", format::cldr_version()},
        {"tzdata", format::time_zone::tzdata_version()},
        {"fmt",
         fmt::format("{}.{}.{}", FMT_VERSION / 10'000, FMT_VERSION / 100 % 100, FMT_VERSION % 100)},
        {"spdlog", observe::spdlog_version()},
        {"openssl", OpenSSL_version(OPENSSL_VERSION_STRING)},
    };
}

}  // namespace exportd::app
