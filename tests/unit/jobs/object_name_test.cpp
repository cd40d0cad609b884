#include <exportd/jobs/object_name.hpp>

#include "../catch.hpp"
#include <string>

using namespace exportd::jobs;

TEST_CASE("Names of buckets, prefixes, regions and keys need no escaping", "[jobs][object_name]") {
    CHECK(is_bucket_name("exports"));
    CHECK(is_bucket_name("my.exports-2025_eu"));
    for (const std::string text : {"", "ab", ".ab", "a/b", "a b", "a%2f", "\xC3\xA4xx", "a?b"})
        CHECK_FALSE(is_bucket_name(text));
    CHECK_FALSE(is_bucket_name(std::string(64, 'a')));

    for (const std::string text : {"", "exportd/", "a/b.c-d_e/"})
        CHECK(is_object_prefix(text));
    for (const std::string text :
         {"a", "/", "/a/", "a//", "a//b/", "../", "a/../", "./", "a b/", "a?/", "a/b"})
        CHECK_FALSE(is_object_prefix(text));

    CHECK(is_region_name("eu-central-1"));
    for (const std::string text : {"", "eu:s3", "eu central", "eu/1"})
        CHECK_FALSE(is_region_name(text));

    CHECK(is_access_key("AKIAIOSFODNN7EXAMPLE"));
    for (const std::string text : {"", "a:b", "a b", "a/b", "a\n", "\xC3\xA4"})
        CHECK_FALSE(is_access_key(text));
}
