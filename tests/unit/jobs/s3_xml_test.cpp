#include "../../../src/jobs/s3_xml.hpp"

#include <exportd/jobs/file_store.hpp>

#include "../../../src/jobs/s3_client.hpp"
#include "../catch.hpp"

using namespace exportd::jobs;
using namespace std::chrono;

TEST_CASE("S3's lists are read, with where the next page begins", "[jobs][s3_xml]") {
    const auto page = s3_objects(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>"
        "<ListBucketResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">"
        "<IsTruncated>true</IsTruncated><NextContinuationToken>a+/=</NextContinuationToken>"
        "<Contents><Key>p/a&amp;b</Key><LastModified>2025-03-30T01:02:03.456Z</LastModified>"
        "</Contents></ListBucketResult>");
    REQUIRE(page.objects.size() == 1);
    CHECK(page.objects.at(0).key == "p/a&b");
    CHECK(page.objects.at(0).modified == sys_days{2025y / 3 / 30} + 1h + 2min + 3s);
    CHECK(page.next == "a+/=");
    CHECK(s3_objects("<ListBucketResult/>").next.empty());

    const auto uploads = s3_uploads(
        "<ListMultipartUploadsResult><IsTruncated>true</IsTruncated>"
        "<NextKeyMarker>k</NextKeyMarker><NextUploadIdMarker>u</NextUploadIdMarker>"
        "<Upload><Key>a</Key><UploadId>2~x</UploadId><Initiated>2025-03-30T01:02:03Z</Initiated>"
        "</Upload></ListMultipartUploadsResult>");
    REQUIRE(uploads.uploads.size() == 1);
    CHECK(uploads.uploads.at(0).id == "2~x");
    CHECK(uploads.next_key == "k");
    CHECK(uploads.next_id == "u");

    const auto parts = s3_parts(
        "<ListPartsResult><Part><LastModified>2025-03-30T01:02:04Z</LastModified></Part>"
        "<Part><LastModified>2025-03-30T01:02:03Z</LastModified></Part></ListPartsResult>");
    CHECK(parts.latest == sys_days{2025y / 3 / 30} + 1h + 2min + 4s);
    CHECK(s3_parts("<ListPartsResult/>").latest == std::nullopt);
}

TEST_CASE("What is no such document is an error, and endless pages are none", "[jobs][s3_xml]") {
    for (const char* text :
         {"", "x", "<a/>", "<ListBucketResult>", "<Error/>",
          "<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>",
          "<ListBucketResult><Contents><Key>a</Key></Contents></ListBucketResult>"}) {
        INFO(text);
        CHECK_THROWS_AS(s3_objects(text), store_error);
    }
    CHECK_THROWS_AS(s3_upload_id("<InitiateMultipartUploadResult/>"), store_error);
    for (const char* text : {"", "2025", "2025-02-30T00:00:00Z", "2025-03-30 01:02:03Z",
                             "2025-03-30T01:02:03", "2025-03-30T-1:02:03Z"}) {
        INFO(text);
        CHECK_THROWS_AS(s3_instant(text), store_error);
    }
}

TEST_CASE("Entities of a document's own are not expanded", "[jobs][s3_xml]") {
    CHECK(s3_upload_id("<!DOCTYPE x [<!ENTITY e SYSTEM \"file:///etc/passwd\">]>"
                       "<InitiateMultipartUploadResult><UploadId>&e;</UploadId>"
                       "</InitiateMultipartUploadResult>") == "&e;");
}

TEST_CASE("Codes of errors are letters or nothing", "[jobs][s3_xml]") {
    CHECK(s3_error_code("<Error><Code>SlowDown</Code></Error>") == "SlowDown");
    for (const char* text : {"", "<Error/>", "<html/>", "<Error><Code>a b</Code></Error>",
                             "<Error><Code>a\nb</Code></Error>"})
        CHECK(s3_error_code(text).empty());
}

TEST_CASE("A query is sorted and encoded as it is signed", "[jobs][s3_xml]") {
    CHECK(s3_query_text({{"uploads", ""}, {"prefix", "a/b c+d=\xC3\xA4~"}, {"key-marker", "k"}}) ==
          "key-marker=k&prefix=a%2Fb%20c%2Bd%3D%C3%A4~&uploads=");
    CHECK(sha256_hex("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}
