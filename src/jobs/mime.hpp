#pragma once

#include <exportd/jobs/mailer.hpp>

#include <chrono>
#include <string>
#include <string_view>

namespace exportd::jobs {

// What is wrong with a letter; empty if it may be sent.
std::string letter_fault(const letter& l);

// The letter as it goes over the wire (RFC 5322 and 2045 to 2049): header, and the plain and the
// HTML text as alternatives, in base64. Lines end in CRLF. The letter has no fault.
std::string mime_message(const letter& l, const mailbox& from, std::chrono::sys_seconds now);

// A text for a header (RFC 2047): as it is if it is short printable ASCII, else as encoded words,
// none over 75 characters, none with half a character of UTF-8 in it, on lines of their own.
std::string header_text(std::string_view text);

// "Tue, 01 Dec 2026 03:12:24 +0000" (RFC 5322 section 3.3).
std::string mail_date(std::chrono::sys_seconds now);

}  // namespace exportd::jobs
