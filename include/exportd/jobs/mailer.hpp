#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace exportd::jobs {

// One letter to one person, in UTF-8. Personal data: in no log.
struct letter {
    std::string to;          // an address that is_mail_address() takes
    std::string subject;     // no line ends
    std::string plain;       // lines end in LF
    std::string html;        // a whole document, already escaped
    std::string message_id;  // left of the @, unique: a letter that is sent again has the same
};

enum class delivery {
    sent,       // the server took it
    temporary,  // 4xx, no connection, silence, no TLS, no sign-in: worth another try, as what is
                // wrong is the server or our settings, which people mend
    refused,    // 5xx of this letter: another try would end alike
};

struct delivery_result {
    delivery what = delivery::temporary;
    int reply = 0;      // the server's last reply code; 0: none came
    std::string cause;  // for the log: never an address, a password or the server's own words
};

// Hands letters to a mail server. Blocks, so never on the loop.
class mailer {
public:
    virtual ~mailer() = default;
    virtual delivery_result send(const letter& l, std::stop_token stop) = 0;
};

// Whether `text` is an address that can be written to: one local part (dot-atom of RFC 5322
// section 3.2.3, no quoted string), one domain of at least two labels, 254 bytes at most, ASCII,
// nothing that could end a header line or an SMTP command.
bool is_mail_address(std::string_view text) noexcept;

// Whether the domain of an address is one of `domains`, a list separated by commas; `*` is any.
// Case of ASCII letters does not matter.
// Blanks around a comma do not either. A domain does not stand for those below it.
bool is_allowed(std::string_view address, std::string_view domains);

// Whether `text` is such a list, or empty.
bool are_mail_domains(std::string_view text);

// Who a letter is from.
struct mailbox {
    std::string name;     // UTF-8; may be empty
    std::string address;  // one that is_mail_address() takes
};

// Reads `address` or `Name <address>`, the name without quotes, backslashes and control characters.
std::optional<mailbox> parse_mailbox(std::string_view text);

}  // namespace exportd::jobs
