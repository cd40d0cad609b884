#include "weaknesses.hpp"

#include <exportd/access/policy.hpp>
#include <exportd/pg/transport.hpp>

#include <fmt/format.h>

#include "access_check.hpp"

namespace exportd::app {

namespace {

using list = std::vector<std::string>;

void look_at_database(const config& c, list& found) {
    for (const auto& [key, url] :
         {std::pair{"database.url", c.database.url}, std::pair{"jobs.url", c.jobs.url},
          std::pair{"audit.url", c.audit.url}}) {
        if (pg::is_exposed(url))
            found.push_back(fmt::format(
                "{}: without sslmode=verify-full whoever is on the way can read and change rows",
                key));
    }
}

void look_at_access(const config& c, list& found) {
    const bool beyond = !c.server.listen.address().is_loopback();
    if (beyond && !c.server.public_url.starts_with("https://"))
        found.emplace_back(
            "server.public_url: not https://, so cookies and browsers are not bound to TLS");
    if (c.auth.mode == auth_mode::tokens && c.auth.session_key.empty())
        found.emplace_back(
            "auth.session_key: not set, so a sign-in ends with the process and is not known to "
            "other replicas");
    if (c.auth.mode != auth_mode::none && !c.audit.required)
        found.emplace_back(
            "audit.required: false, so data is given out while the record of it can't be kept");
    if (c.auth.mode != auth_mode::none && !has_sink(c.audit, "table"))
        found.emplace_back("audit.sinks: without table the record lives as long as the log");
    if (c.server.trusted_proxies.find("/0") != std::string::npos)
        found.emplace_back("server.trusted_proxies: holds every address");
}

// The names of exports need no check here.
void look_at_tokens(const config& c, list& found) {
    if (c.auth.mode != auth_mode::tokens) return;
    try {
        const auto all = access::policy::read_unchecked(c.auth.file);
        for (const auto& token : all.tokens()) {
            if (!token.expires)
                found.push_back(fmt::format("{}: the token {} does not expire",
                                            c.auth.file.string(), token.name));
        }
    } catch (const std::exception&) {
        // Told as a fault elsewhere.
    }
}

void look_at_delivery(const config& c, list& found) {
    if (c.jobs.store == store_kind::s3 && c.s3.allow_http)
        found.emplace_back("s3.allow_http: files may go over the network in the clear");
    if (c.mail.allow_plain && !c.mail.url.empty())
        found.emplace_back("mail.allow_plain: letters and their links may go in the clear");
    if (c.debug.routes)
        found.emplace_back("debug.routes: whoever reaches the service can block it");
}

}  // namespace

std::vector<std::string> weaknesses(const config& c) {
    list found;
    look_at_database(c, found);
    look_at_access(c, found);
    look_at_tokens(c, found);
    look_at_delivery(c, found);
    return found;
}

}  // namespace exportd::app
