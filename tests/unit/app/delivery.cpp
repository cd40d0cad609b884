#include <exportd/jobs/directory_store.hpp>
#include <exportd/jobs/object_store.hpp>

#include "../../../src/app/file_stores.hpp"
#include "temporary_directory.hpp"
#include <catch.hpp>

using namespace exportd;
using namespace exportd::app;
using exportd::app::test::temporary_directory;

namespace {

const environment s3{{"EXPORTD_JOBS_STORE", "s3"},
                     {"EXPORTD_S3_ENDPOINT", "https://s3.example.com"},
                     {"EXPORTD_S3_BUCKET", "exports"},
                     {"EXPORTD_S3_ACCESS_KEY", "AKIDEXAMPLE"},
                     {"EXPORTD_S3_SECRET_KEY", "hunter2"}};

const environment mail{{"EXPORTD_MAIL_URL", "smtp://mail.example.com:587"},
                       {"EXPORTD_MAIL_FROM", "Exports <exports@example.com>"},
                       {"EXPORTD_MAIL_DOMAINS", "example.com, example.org"},
                       {"EXPORTD_SERVER_PUBLIC_URL", "https://exports.example.com"},
                       {"EXPORTD_MAIL_USERNAME", "exports"},
                       {"EXPORTD_MAIL_PASSWORD", "hunter2"}};

config with(const environment& base, const environment& changes) {
    environment env = changes;
    env.insert(base.begin(), base.end());
    return load_config(std::nullopt, env);
}

// The keys at fault, and that no message has a secret in it.
std::vector<std::string> keys_at_fault(const environment& base, const environment& changes) {
    std::vector<std::string> keys;
    for (const std::string& fault : validate(with(base, changes))) {
        CHECK(fault.find("hunter2") == std::string::npos);
        keys.push_back(fault.substr(0, fault.find(':')));
    }
    return keys;
}

using keys = std::vector<std::string>;

}  // namespace

TEST_CASE("The store is the one that is named; by default a directory", "[app][delivery]") {
    const temporary_directory directory;
    const auto by_default =
        make_file_store(with({}, {{"EXPORTD_JOBS_DIRECTORY", directory.path().string()}}));
    CHECK(dynamic_cast<jobs::directory_store*>(by_default.get()) != nullptr);
    const auto in_bucket = make_file_store(with(s3, {}));
    CHECK(dynamic_cast<jobs::object_store*>(in_bucket.get()) != nullptr);
}

TEST_CASE("There is a mailer where there is a server and somebody to write to", "[app][delivery]") {
    CHECK(make_mailer(with({}, {})) == nullptr);
    CHECK(make_mailer(with(mail, {{"EXPORTD_MAIL_DOMAINS", ""}})) == nullptr);
    CHECK(make_mailer(with(mail, {})) != nullptr);
}

TEST_CASE("Settings of an object store that are unsafe or missing forbid serving",
          "[app][delivery]") {
    CHECK(keys_at_fault(s3, {}).empty());
    CHECK(keys_at_fault(s3, {{"EXPORTD_S3_ENDPOINT", "http://s3.example.com"}}) ==
          keys{"s3.endpoint"});
    CHECK(keys_at_fault(s3, {{"EXPORTD_S3_ENDPOINT", "http://s3.example.com"},
                             {"EXPORTD_S3_ALLOW_HTTP", "true"}})
              .empty());
    CHECK(keys_at_fault(s3, {{"EXPORTD_S3_ENDPOINT", "http://127.0.0.1:9000"}}).empty());
    for (const char* endpoint : {"", "s3.example.com", "https://u:hunter2@s3.example.com",
                                 "https://s3.example.com/exports", "smtp://s3.example.com"}) {
        INFO(endpoint);
        CHECK(keys_at_fault(s3, {{"EXPORTD_S3_ENDPOINT", endpoint}}) == keys{"s3.endpoint"});
    }
    CHECK(keys_at_fault(s3, {{"EXPORTD_S3_BUCKET", ""}}) == keys{"s3.bucket"});
    CHECK(keys_at_fault(s3, {{"EXPORTD_S3_PREFIX", "a"}}) == keys{"s3.prefix"});
    CHECK(keys_at_fault(s3, {{"EXPORTD_S3_REGION", "a:b"}}) == keys{"s3.region"});
    CHECK(keys_at_fault(s3, {{"EXPORTD_S3_SECRET_KEY", ""}}) ==
          keys{"s3.access_key, s3.secret_key"});
    CHECK(keys_at_fault(s3, {{"EXPORTD_S3_ACCESS_KEY", "a:b"}}) == keys{"s3.access_key"});
    // What is not used is not judged.
    CHECK(keys_at_fault(s3, {{"EXPORTD_JOBS_STORE", "directory"}, {"EXPORTD_S3_BUCKET", ""}})
              .empty());
}

TEST_CASE("Settings of mail that are unsafe or missing forbid serving", "[app][delivery]") {
    CHECK(keys_at_fault(mail, {}).empty());
    CHECK(keys_at_fault(mail, {{"EXPORTD_MAIL_URL", ""}}) == keys{"mail.url"});
    for (const char* url :
         {"mail.example.com", "smtp://u:hunter2@mail.example.com", "http://mail.example.com"}) {
        INFO(url);
        CHECK(keys_at_fault(mail, {{"EXPORTD_MAIL_URL", url}}) == keys{"mail.url"});
    }
    CHECK(keys_at_fault(mail, {{"EXPORTD_MAIL_ALLOW_PLAIN", "true"}}) == keys{"mail.allow_plain"});
    CHECK(keys_at_fault(mail, {{"EXPORTD_MAIL_ALLOW_PLAIN", "true"},
                               {"EXPORTD_MAIL_USERNAME", ""},
                               {"EXPORTD_MAIL_PASSWORD", ""}})
              .empty());
    CHECK(keys_at_fault(mail, {{"EXPORTD_MAIL_FROM", "exports"}}) == keys{"mail.from"});
    CHECK(keys_at_fault(mail, {{"EXPORTD_MAIL_PASSWORD", ""}}) ==
          keys{"mail.username, mail.password"});
    CHECK(keys_at_fault(mail, {{"EXPORTD_MAIL_DOMAINS", "*.example.com"}}) == keys{"mail.domains"});
}
