#pragma once

#include <exportd/jobs/mailer.hpp>

#include <string>

namespace exportd::jobs {

enum class mail_tls {
    required,    // STARTTLS, or TLS from the start with smtps
    if_offered,  // a server without STARTTLS gets its letters in the clear
    none,        // for loopback, where nobody listens between
};

struct smtp_settings {
    std::string url;  // one that parse_server_url() takes, smtp or smtps
    mailbox from;
    std::string username;  // empty: no sign-in
    std::string password;
    mail_tls tls = mail_tls::required;
    std::string ca_file;                        // empty: the system's certificates
    std::chrono::milliseconds timeout{30'000};  // of one letter, from the name lookup on
};

// Hands letters to one SMTP server (RFC 5321), a connection for each. The server's certificate is
// always verified. May be used by several threads at once.
class smtp_mailer final : public mailer {
public:
    // Throws std::invalid_argument if a setting is not what it has to be.
    explicit smtp_mailer(smtp_settings settings);

    // A letter that is not what mailer.hpp says, such as one with a line end in its subject, is
    // refused before a connection is made.
    delivery_result send(const letter& l, std::stop_token stop) override;

private:
    const smtp_settings settings_;
};

}  // namespace exportd::jobs
