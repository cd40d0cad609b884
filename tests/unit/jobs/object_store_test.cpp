#include <exportd/jobs/object_store.hpp>

#include <fmt/format.h>

#include "../catch.hpp"
#include "scripted_server.hpp"
#include <chrono>

using namespace exportd::jobs;
using namespace std::chrono_literals;
using exportd::jobs::test::scripted_server;

namespace {

using steady = std::chrono::steady_clock;

const std::string secret = "hunter2+hunter2/hunter2";

object_store_settings settings_for(const std::string& endpoint) {
    object_store_settings s;
    s.endpoint = endpoint;
    s.bucket = "exports";
    s.prefix = "files/";
    s.access_key = "AKIDEXAMPLE";
    s.secret_key = secret;
    s.part_size = 10;
    s.connect_timeout = 2s;
    s.stall_timeout = 2s;
    s.tries = 3;
    s.retry_delay = 1ms;
    return s;
}

std::string answer(std::string_view status, std::string_view fields = "",
                   std::string_view body = "") {
    return fmt::format("HTTP/1.1 {}\r\nContent-Length: {}\r\n{}\r\n{}", status, body.size(), fields,
                       body);
}

std::string error(std::string_view status, std::string_view code) {
    return answer(status, "", fmt::format("<Error><Code>{}</Code></Error>", code));
}

std::string begun() {
    return answer("200 OK", "",
                  "<InitiateMultipartUploadResult><UploadId>2~id</UploadId>"
                  "</InitiateMultipartUploadResult>");
}

std::string part(std::string_view etag) {
    return answer("200 OK", fmt::format("ETag: \"{}\"\r\n", etag));
}

std::string completed() {
    return answer("200 OK", "", "<CompleteMultipartUploadResult/>");
}

std::vector<std::string> first_lines(const scripted_server& server) {
    std::vector<std::string> lines;
    for (const std::string& request : server.requests())
        lines.push_back(request.substr(0, request.find(" HTTP/")));
    return lines;
}

std::string body_of(const std::string& request) {
    return request.substr(request.find("\r\n\r\n") + 4);
}

using lines = std::vector<std::string>;

}  // namespace

TEST_CASE("A small file is one signed PUT", "[jobs][object_store]") {
    scripted_server server{{answer("200 OK")}};
    object_store store{settings_for(server.endpoint())};
    const auto writer = store.create("a.csv", 4, {});
    writer->write("id\n");
    writer->write("1\n");
    CHECK(server.requests().empty());
    writer->publish();

    REQUIRE(first_lines(server) == lines{"PUT /exports/files/a.csv"});
    const std::string request = server.requests().at(0);
    CHECK(body_of(request) == "id\n1\n");
    CHECK(request.find("Authorization: AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/") !=
          std::string::npos);
    CHECK(request.find("x-amz-content-sha256: "
                       "7cde7fb64fd82bd152710cf238e017b9ab46c0592483edc067ba4f6c75fac108") !=
          std::string::npos);
    CHECK(request.find(secret) == std::string::npos);
}

TEST_CASE("A long file is uploaded in parts, in order, and completed with all of them",
          "[jobs][object_store]") {
    scripted_server server{{begun(), part("e1"), part("e2"), part("e3"), completed()}};
    object_store store{settings_for(server.endpoint())};
    const auto writer = store.create("a", std::nullopt, {});
    writer->write("0123456789abcdefghij");
    writer->write("xyz");
    writer->publish();

    CHECK(first_lines(server) ==
          lines{"POST /exports/files/a?uploads=", "PUT /exports/files/a?partNumber=1&uploadId=2~id",
                "PUT /exports/files/a?partNumber=2&uploadId=2~id",
                "PUT /exports/files/a?partNumber=3&uploadId=2~id",
                "POST /exports/files/a?uploadId=2~id"});
    const auto requests = server.requests();
    CHECK(body_of(requests.at(1)) == "0123456789");
    CHECK(body_of(requests.at(2)) == "abcdefghij");
    CHECK(body_of(requests.at(3)) == "xyz");
    CHECK(body_of(requests.at(4)) ==
          "<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">"
          "<Part><PartNumber>1</PartNumber><ETag>&quot;e1&quot;</ETag></Part>"
          "<Part><PartNumber>2</PartNumber><ETag>&quot;e2&quot;</ETag></Part>"
          "<Part><PartNumber>3</PartNumber><ETag>&quot;e3&quot;</ETag></Part>"
          "</CompleteMultipartUpload>");
}

TEST_CASE("What is discarded is taken back, once", "[jobs][object_store]") {
    scripted_server server{{begun(), part("e1"), answer("204 No Content")}};
    object_store store{settings_for(server.endpoint())};
    {
        const auto writer = store.create("a", std::nullopt, {});
        writer->write("0123456789");
        writer->discard();
        CHECK_THROWS_AS(writer->publish(), store_error);
    }
    CHECK(first_lines(server).back() == "DELETE /exports/files/a?uploadId=2~id");
    CHECK(server.requests().size() == 3);
}

TEST_CASE("A busy store is asked again, a bounded number of times", "[jobs][object_store]") {
    scripted_server server{{error("503 Slow Down", "SlowDown"), scripted_server::hang_up,
                            answer("200 OK"), error("500 Internal Server Error", "InternalError"),
                            error("429 Too Many Requests", "SlowDown"),
                            error("400 Bad Request", "RequestTimeout"), answer("200 OK")}};
    object_store store{settings_for(server.endpoint())};
    {
        const auto first = store.create("a", std::nullopt, {});
        first->write("x");
        first->publish();
        CHECK(server.requests().size() == 3);
    }

    const auto second = store.create("b", std::nullopt, {});
    second->write("x");
    CHECK_THROWS_WITH(second->publish(),
                      "the object store does not do its work: status 400, RequestTimeout");
    CHECK(server.requests().size() == 6);
}

TEST_CASE("A refusal is not tried again and says what the store said, without secrets",
          "[jobs][object_store]") {
    scripted_server server{{error("403 Forbidden", "SignatureDoesNotMatch"),
                            error("403 Forbidden", "QuotaExceeded"), error("507 Full", ""),
                            error("404 Not Found", "NoSuchBucket"),
                            answer("403 Forbidden", "", "<Error><Code>a b\nc</Code></Error>")}};
    object_store store{settings_for(server.endpoint())};
    const auto publish = [&] {
        const auto writer = store.create("a", std::nullopt, {});
        writer->write("x");
        writer->publish();
    };
    CHECK_THROWS_WITH(publish(), "storing a file: status 403, SignatureDoesNotMatch");
    CHECK_THROWS_AS(publish(), store_full);
    CHECK_THROWS_AS(publish(), store_full);
    CHECK_THROWS_AS(publish(), store_error);
    CHECK_THROWS_WITH(publish(), "storing a file: status 403");
    CHECK(server.requests().size() == 5);
}

TEST_CASE("Redirects are not followed", "[jobs][object_store]") {
    scripted_server elsewhere{{answer("200 OK")}};
    scripted_server server{
        {answer("307 Temporary Redirect", "Location: " + elsewhere.endpoint() + "/x\r\n")}};
    object_store store{settings_for(server.endpoint())};
    CHECK_THROWS_WITH(store.open("a", {}), "looking at a file: status 307");
    CHECK(elsewhere.requests().empty());
}

TEST_CASE("An upload whose last answer was lost is told complete or not by the file that is there",
          "[jobs][object_store]") {
    const std::string head = "HTTP/1.1 200 OK\r\nETag: \"e-1\"\r\nContent-Length: ";
    for (const bool whole : {true, false}) {
        scripted_server server{
            {begun(), part("e1"), scripted_server::hang_up, error("404 Not Found", "NoSuchUpload"),
             head + (whole ? "10" : "9") + "\r\n\r\n", answer("204 No Content")}};
        object_store store{settings_for(server.endpoint())};
        const auto writer = store.create("a", std::nullopt, {});
        writer->write("0123456789");
        if (whole) {
            writer->publish();
            CHECK(server.requests().size() == 5);
        } else {
            CHECK_THROWS_AS(writer->publish(), store_error);
        }
    }
}

TEST_CASE("An error in the 200 of a completion is an error", "[jobs][object_store]") {
    scripted_server server{
        {begun(), part("e1"), error("200 OK", "InvalidPart"), answer("204 No Content")}};
    object_store store{settings_for(server.endpoint())};
    const auto writer = store.create("a", std::nullopt, {});
    writer->write("0123456789");
    CHECK_THROWS_WITH(writer->publish(), "completing an upload: status 200, InvalidPart");
    CHECK(first_lines(server).back() == "DELETE /exports/files/a?uploadId=2~id");
}

TEST_CASE("A stop ends a wait and a pause soon", "[jobs][object_store]") {
    auto settings = settings_for("http://127.0.0.1:1");
    settings.tries = 1000;
    settings.retry_delay = 60s;
    std::stop_source source;
    std::thread asker{[&] { source.request_stop(); }};
    object_store nobody{settings};
    auto begin = steady::now();
    CHECK_THROWS_AS(nobody.open("a", source.get_token()), store_error);
    asker.join();
    CHECK(steady::now() - begin < 5s);

    scripted_server server{{scripted_server::silence}};
    settings = settings_for(server.endpoint());
    settings.stall_timeout = 600s;
    object_store silent{settings};
    std::stop_source other;
    begin = steady::now();
    std::thread late{[&] {
        while (server.requests().empty())
            std::this_thread::yield();
        other.request_stop();
    }};
    CHECK_THROWS_WITH(silent.open("a", other.get_token()), "asked to stop");
    late.join();
    CHECK(steady::now() - begin < 10s);
}

TEST_CASE("Silence ends after the stall timeout", "[jobs][object_store]") {
    scripted_server server{{scripted_server::silence}};
    auto settings = settings_for(server.endpoint());
    settings.stall_timeout = 1s;
    settings.tries = 1;
    object_store store{settings};
    CHECK_THROWS_WITH(store.open("a", {}),
                      "the object store does not do its work: Timeout was reached");
}

TEST_CASE("A reader takes no other bytes than it asked for", "[jobs][object_store]") {
    const std::string head = "HTTP/1.1 200 OK\r\nETag: \"e\"\r\nContent-Length: 10\r\n\r\n";
    std::array<char, 10> into{};
    const auto read_with = [&](const std::string& got, std::uint64_t offset) {
        scripted_server server{{head, got}};
        object_store store{settings_for(server.endpoint())};
        const auto reader = store.open("a", {});
        CHECK(reader->size() == 10);
        const std::size_t count = reader->read(offset, into);
        const std::string request = server.requests().at(1);
        CHECK(request.find("If-Match: \"e\"\r\n") != std::string::npos);
        CHECK(request.find("Range: bytes=" + std::to_string(offset) + "-9\r\n") !=
              std::string::npos);
        return std::string{into.data(), count};
    };
    CHECK(read_with(answer("206 Partial Content", "Content-Range: bytes 2-9/10\r\n", "23456789"),
                    2) == "23456789");
    CHECK_THROWS_AS(read_with(answer("200 OK", "", "0123456789"), 2), store_error);
    CHECK_THROWS_AS(
        read_with(answer("206 Partial Content", "Content-Range: bytes 0-7/10\r\n", "01234567"), 2),
        store_error);
    CHECK_THROWS_AS(read_with(answer("206 Partial Content", "Content-Range: bytes 2-9/10\r\n",
                                     "23456789 and more"),
                              2),
                    store_error);
    CHECK_THROWS_AS(read_with(error("412 Precondition Failed", "PreconditionFailed"), 2),
                    no_such_file);
}

TEST_CASE("Settings that would have to be escaped are refused", "[jobs][object_store]") {
    for (const char* endpoint : {"", "ftp://127.0.0.1", "https://user@host", "https://host/path"}) {
        INFO(endpoint);
        CHECK_THROWS_AS(object_store{settings_for(endpoint)}, std::invalid_argument);
    }
    auto settings = settings_for("https://host");
    settings.region = "eu:s3";
    CHECK_THROWS_AS(object_store{settings}, std::invalid_argument);
    CHECK_THROWS_AS(object_store{settings_for("https://host")}.create("../x", std::nullopt, {}),
                    store_error);
    CHECK_THROWS_AS(object_store{settings_for("https://host")}.create("x", 200'000, {}),
                    store_full);
}
