#include "file_stores.hpp"

#include <exportd/jobs/directory_store.hpp>
#include <exportd/jobs/object_store.hpp>
#include <exportd/jobs/server_url.hpp>
#include <exportd/jobs/smtp_mailer.hpp>

namespace exportd::app {

std::unique_ptr<jobs::file_store> make_file_store(const config& c) {
    if (c.jobs.store == store_kind::directory)
        return std::make_unique<jobs::directory_store>(c.jobs.directory, c.jobs.keep_free);
    jobs::object_store_settings s;
    s.endpoint = c.s3.endpoint;
    s.region = c.s3.region;
    s.bucket = c.s3.bucket;
    s.prefix = c.s3.prefix;
    s.access_key = c.s3.access_key;
    s.secret_key = c.s3.secret_key;
    s.part_size = c.s3.part_size;
    s.ca_file = c.s3.ca_file;
    return std::make_unique<jobs::object_store>(std::move(s));
}

std::unique_ptr<jobs::mailer> make_mailer(const config& c) {
    if (c.mail.url.empty() || c.mail.domains.empty()) return nullptr;
    jobs::smtp_settings s;
    s.url = c.mail.url;
    s.from = jobs::parse_mailbox(c.mail.from).value();
    s.username = c.mail.username;
    s.password = c.mail.password;
    s.timeout = c.mail.timeout;
    s.ca_file = c.mail.ca_file;
    s.tls = jobs::mail_tls::required;
    if (jobs::parse_server_url(c.mail.url).value().loopback) {
        s.tls = jobs::mail_tls::none;
    } else if (c.mail.allow_plain) {
        s.tls = jobs::mail_tls::if_offered;
    }
    return std::make_unique<jobs::smtp_mailer>(std::move(s));
}

}  // namespace exportd::app
