#include "delivery_check.hpp"

#include <exportd/jobs/mailer.hpp>
#include <exportd/jobs/object_name.hpp>
#include <exportd/jobs/server_url.hpp>

namespace exportd::app {

namespace {

void check_s3(const s3_config& c, std::vector<std::string>& faults) {
    const auto endpoint = jobs::parse_server_url(c.endpoint);
    if (!endpoint || (endpoint->scheme != "https" && endpoint->scheme != "http")) {
        faults.push_back("s3.endpoint: expected https://host[:port] without a path");
    } else if (endpoint->scheme == "http" && !endpoint->loopback && !c.allow_http) {
        faults.push_back("s3.endpoint: " + endpoint->text() +
                         " would carry files in the clear; expected https://, or "
                         "s3.allow_http = true");
    }
    if (!jobs::is_bucket_name(c.bucket)) {
        faults.push_back(
            "s3.bucket: expected 3 to 63 letters, digits, dots, hyphens and underscores");
    }
    if (!jobs::is_object_prefix(c.prefix)) {
        faults.push_back(
            "s3.prefix: expected letters, digits, dots, hyphens, underscores and single slashes, "
            "ending in a slash, or nothing");
    }
    if (!jobs::is_region_name(c.region)) {
        faults.push_back("s3.region: expected letters, digits and hyphens");
    }
    if (c.access_key.empty() || c.secret_key.empty()) {
        faults.push_back("s3.access_key, s3.secret_key: expected both, for jobs.store = \"s3\"");
    } else if (!jobs::is_access_key(c.access_key)) {
        faults.push_back("s3.access_key: expected printable ASCII without a colon or blank");
    }
}

void check_links(const config& c, std::vector<std::string>& faults) {
    if (c.server.public_url.empty()) {
        if (!c.mail.url.empty())
            faults.push_back(
                "server.public_url: expected https://host[:port], as letters hold links");
        return;
    }
    const auto address = jobs::parse_server_url(c.server.public_url);
    if (!address || (address->scheme != "https" && address->scheme != "http"))
        faults.push_back("server.public_url: expected https://host[:port] without a path");
}

void check_mail(const mail_config& c, std::vector<std::string>& faults) {
    if (c.url.empty()) {
        if (!c.domains.empty())
            faults.push_back("mail.url: expected a mail server, since mail.domains are set");
        return;
    }
    const auto server = jobs::parse_server_url(c.url);
    if (!server || (server->scheme != "smtp" && server->scheme != "smtps")) {
        faults.push_back("mail.url: expected smtp://host[:port] or smtps://host[:port]");
    } else if (c.allow_plain && server->scheme == "smtp" && !server->loopback &&
               !c.username.empty()) {
        faults.push_back(
            "mail.allow_plain: a password must not go in the clear; expected false, or no "
            "mail.username");
    }
    if (!jobs::parse_mailbox(c.from)) {
        faults.push_back("mail.from: expected an address, or Name <address>");
    }
    if (c.username.empty() != c.password.empty()) {
        faults.push_back("mail.username, mail.password: expected both or none");
    }
    if (!jobs::are_mail_domains(c.domains)) {
        faults.push_back("mail.domains: expected domains separated by commas, or *");
    }
}

}  // namespace

void check_delivery(const config& c, std::vector<std::string>& faults) {
    if (c.jobs.store == store_kind::s3) check_s3(c.s3, faults);
    check_links(c, faults);
    check_mail(c.mail, faults);
}

}  // namespace exportd::app
