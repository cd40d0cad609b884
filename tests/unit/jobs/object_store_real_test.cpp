// Against the object store that EXPORTD_TEST_S3_... name; tests/e2e/test_object_store.py starts
// one.
#include <exportd/jobs/object_store.hpp>

#include "../catch.hpp"
#include "own_process.hpp"
#include <csignal>
#include <cstdlib>
#include <random>
#include <unistd.h>

using namespace exportd::jobs;
using exportd::jobs::test::in_own_process;
using namespace std::chrono_literals;

namespace {

constexpr std::size_t part = 5 * 1024 * 1024;  // S3's least

std::string variable(const char* name) {
    const char* value = std::getenv(name);
    if (value == nullptr) FAIL(name << " is not set");
    return value;
}

object_store_settings settings() {
    object_store_settings s;
    s.endpoint = variable("EXPORTD_TEST_S3_ENDPOINT");
    s.region = variable("EXPORTD_TEST_S3_REGION");
    s.bucket = variable("EXPORTD_TEST_S3_BUCKET");
    s.access_key = variable("EXPORTD_TEST_S3_ACCESS_KEY");
    s.secret_key = variable("EXPORTD_TEST_S3_SECRET_KEY");
    s.part_size = part;
    // Each test has a prefix of its own.
    s.prefix = "test-" + std::to_string(std::random_device{}()) + "/deep.er_-/";
    return s;
}

std::string some_bytes(std::size_t size) {
    std::string bytes(size, '\0');
    std::minstd_rand random{42};
    for (char& c : bytes)
        c = static_cast<char>(random());
    return bytes;
}

void put(file_store& store, const std::string& key, const std::string& bytes) {
    const auto writer = store.create(key, bytes.size(), {});
    constexpr std::size_t step = 1'000'000;
    for (std::size_t at = 0; at < bytes.size(); at += step)
        writer->write(std::string_view{bytes}.substr(at, step));
    writer->publish();
}

std::string get(file_store& store, const std::string& key) {
    const auto reader = store.open(key, {});
    std::string bytes(static_cast<std::size_t>(reader->size()), '\0');
    bytes.resize(reader->read(0, bytes));
    return bytes;
}

constexpr auto keep_none = [](const std::string&) { return false; };

}  // namespace

TEST_CASE("Files of any size come back as they were written", "[.][s3]") {
    object_store store{settings()};
    for (const std::size_t size :
         {std::size_t{0}, std::size_t{1}, part - 1, part, part + 1, 3 * part + 7}) {
        INFO(size);
        const std::string bytes = some_bytes(size);
        put(store, "file.csv", bytes);
        CHECK((get(store, "file.csv") == bytes));
    }
}

TEST_CASE("Ranges of a file are read over and over", "[.][s3]") {
    object_store store{settings()};
    const std::string bytes = some_bytes(3'000'000);
    put(store, "file", bytes);
    const auto reader = store.open("file", {});
    std::string read;
    std::string chunk(65'536, '\0');
    while (const std::size_t got = reader->read(read.size(), chunk))
        read.append(chunk, 0, got);
    CHECK((read == bytes));

    std::string piece(10, '\0');
    for (const std::uint64_t offset :
         {std::uint64_t{2'999'995}, std::uint64_t{0}, std::uint64_t{1'048'570}}) {
        const std::size_t got = reader->read(offset, piece);
        CHECK((piece.substr(0, got) == bytes.substr(offset, 10)));
    }
    CHECK(reader->read(3'000'000, piece) == 0);
}

TEST_CASE("An unpublished file is not seen, a discarded one leaves nothing", "[.][s3]") {
    object_store store{settings()};
    const auto writer = store.create("file", std::nullopt, {});
    writer->write(some_bytes(part + 1));
    CHECK_THROWS_AS(store.open("file", {}), no_such_file);
    writer->discard();
    CHECK_THROWS_AS(store.open("file", {}), no_such_file);
    CHECK(store.sweep(0s, keep_none) == 0);
}

TEST_CASE("A file that is replaced while it is read is not read on", "[.][s3]") {
    object_store store{settings()};
    put(store, "file", "old");
    const auto reader = store.open("file", {});
    put(store, "file", "new");
    std::string into(3, '\0');
    CHECK_THROWS_AS(reader->read(0, into), no_such_file);
}

TEST_CASE("An object that is removed is gone, twice as well as once", "[.][s3]") {
    object_store store{settings()};
    put(store, "file", "x");
    store.remove("file");
    store.remove("file");
    CHECK_THROWS_AS(store.open("file", {}), no_such_file);
}

TEST_CASE("kill -9 amid an upload leaves nothing to see, and a sweep removes the rest", "[.][s3]") {
    const auto s = settings();
    const int ended = in_own_process([&] {
        object_store store{s};
        const auto writer = store.create("file", std::nullopt, {});
        writer->write(some_bytes(2 * part + 1));
        ::kill(::getpid(), SIGKILL);
        return 0;
    });
    REQUIRE(ended == 128 + SIGKILL);

    object_store store{s};
    CHECK_THROWS_AS(store.open("file", {}), no_such_file);
    CHECK(store.sweep(1h, keep_none) == 0);
    CHECK(store.sweep(0s, keep_none) == 1);
    CHECK(store.sweep(0s, keep_none) == 0);
}

TEST_CASE("A sweep removes what nobody keeps, over many pages, and only under its prefix",
          "[.][s3]") {
    auto s = settings();
    object_store store{s};
    s.prefix += "other/";
    object_store below{s};
    for (int n = 0; n < 1'005; ++n)
        put(store, "file-" + std::to_string(n), "");
    put(below, "file", "theirs");
    CHECK(store.sweep(1h, keep_none) == 0);
    CHECK(store.sweep(0s, [](const std::string& key) { return key == "file-7"; }) == 1'004);
    CHECK(get(store, "file-7") == "");
    CHECK(get(below, "file") == "theirs");
}

TEST_CASE("A wrong secret, a wrong key id and a missing bucket are refused by name", "[.][s3]") {
    auto s = settings();
    s.secret_key += "x";
    object_store wrong{s};
    CHECK(wrong.fault() == "storing a probe: status 403, SignatureDoesNotMatch");
    CHECK_THROWS_AS(put(wrong, "file", "x"), store_error);
    CHECK_THROWS_AS(put(wrong, "file", some_bytes(part)), store_error);

    s = settings();
    s.access_key = "NOBODY";
    CHECK(object_store{s}.fault() == "storing a probe: status 403, InvalidAccessKeyId");

    s = settings();
    s.bucket = "no-such-bucket";
    object_store lost{s};
    CHECK(lost.fault() == "storing a probe: status 404, NoSuchBucket");
    CHECK_THROWS_AS(put(lost, "file", "x"), store_error);

    CHECK(object_store{settings()}.fault() == std::nullopt);
}

TEST_CASE("A full bucket is told as such", "[.][s3-full]") {
    object_store store{settings()};
    CHECK_THROWS_AS(put(store, "file", some_bytes(2 * part)), store_full);
    CHECK_THROWS_AS(put(store, "file", some_bytes(part / 2)), store_full);
    CHECK_THROWS_AS(store.open("file", {}), no_such_file);
}

TEST_CASE("A certificate that nobody vouches for is refused, one of the right authority is taken",
          "[.][s3-tls]") {
    auto s = settings();
    s.endpoint = variable("EXPORTD_TEST_S3_TLS_ENDPOINT");
    s.tries = 1;
    CHECK(object_store{s}.fault() ==
          "the object store does not do its work: SSL peer certificate "
          "or SSH remote key was not OK");
    s.ca_file = variable("EXPORTD_TEST_S3_CA_FILE");
    CHECK(object_store{s}.fault() == std::nullopt);
    s.endpoint.replace(s.endpoint.find("localhost"), 9, "127.0.0.1");
    CHECK(object_store{s}.fault() != std::nullopt);
}
