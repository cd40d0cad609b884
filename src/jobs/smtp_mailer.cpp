#include <exportd/curl/handle.hpp>
#include <exportd/jobs/server_url.hpp>
#include <exportd/jobs/smtp_mailer.hpp>

#include <fmt/format.h>

#include "mime.hpp"
#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace exportd::jobs {

namespace {

constexpr std::chrono::milliseconds longest_connect{10'000};
constexpr std::chrono::milliseconds farewell{500};

// What is left of a letter to hand over.
struct source {
    std::string_view rest;

    static std::size_t give(char* into, std::size_t, std::size_t size, void* self) {
        auto& own = *static_cast<source*>(self);
        const std::size_t length = std::min(size, own.rest.size());
        std::memcpy(into, own.rest.data(), length);
        own.rest.remove_prefix(length);
        return length;
    }
};

std::size_t drop(char*, std::size_t, std::size_t size, void*) {
    return size;
}

std::string cause_of(CURLcode code) {
    switch (code) {
        case CURLE_COULDNT_RESOLVE_HOST:
            return "the server's name is not known";
        case CURLE_COULDNT_CONNECT:
            return "no connection";
        case CURLE_OPERATION_TIMEDOUT:
            return "silence";
        case CURLE_USE_SSL_FAILED:
            return "the server offers no TLS";
        case CURLE_PEER_FAILED_VERIFICATION:
            return "the server's certificate is not trusted";
        case CURLE_SSL_CONNECT_ERROR:
            return "no TLS";
        case CURLE_LOGIN_DENIED:
            return "sign-in refused";
        case CURLE_ABORTED_BY_CALLBACK:
            return "asked to stop";
        default:
            return curl_easy_strerror(code);
    }
}

// Whether a 5xx is about this letter: neither the greeting (WEIRD_SERVER_REPLY before the letter
// was sent), nor EHLO, nor the sign-in and what RFC 4954 section 6 and RFC 3207 section 4 say of
// it.
bool is_of_letter(CURLcode code, long reply, bool letter_sent) {
    if (reply < 500 || reply > 599) return false;
    if (reply == 530 || reply == 534 || reply == 535 || reply == 538) return false;
    if (code == CURLE_WEIRD_SERVER_REPLY) return letter_sent;
    return code == CURLE_SEND_ERROR || code == CURLE_RECV_ERROR;
}

delivery_result judge(CURLcode code, long reply, bool letter_sent) {
    delivery_result result;
    result.reply = static_cast<int>(reply);
    if (code == CURLE_OK) {
        result.what = delivery::sent;
        return result;
    }
    result.what = is_of_letter(code, reply, letter_sent) ? delivery::refused : delivery::temporary;
    result.cause = cause_of(code);
    const bool replied =
        code == CURLE_SEND_ERROR || code == CURLE_RECV_ERROR || code == CURLE_WEIRD_SERVER_REPLY;
    if (replied && reply >= 400) result.cause = fmt::format("the server answered {}", reply);
    return result;
}

long tls_option(mail_tls tls) {
    switch (tls) {
        case mail_tls::none:
            return CURLUSESSL_NONE;
        case mail_tls::if_offered:
            return CURLUSESSL_TRY;
        default:
            return CURLUSESSL_ALL;
    }
}

void connect_as(curl::handle& handle, const smtp_settings& s) {
    const auto server = parse_server_url(s.url).value();
    handle.set(CURLOPT_URL, server.text());
    handle.set(CURLOPT_PROTOCOLS_STR, server.scheme);
    handle.set(CURLOPT_NOSIGNAL, 1L);
    handle.set(CURLOPT_USE_SSL, tls_option(s.tls));
    handle.set(CURLOPT_SSLVERSION, long{CURL_SSLVERSION_TLSv1_2});
    if (!s.ca_file.empty()) handle.set(CURLOPT_CAINFO, s.ca_file);
    if (server.loopback) handle.set(CURLOPT_NOPROXY, "*");
    if (!s.username.empty()) {
        handle.set(CURLOPT_USERNAME, s.username);
        handle.set(CURLOPT_PASSWORD, s.password);
    }
    handle.set(CURLOPT_TIMEOUT_MS, static_cast<long>(s.timeout.count()));
    handle.set(CURLOPT_CONNECTTIMEOUT_MS,
               static_cast<long>(std::min(s.timeout, longest_connect).count()));
}

}  // namespace

smtp_mailer::smtp_mailer(smtp_settings settings) : settings_{std::move(settings)} {
    const auto server = parse_server_url(settings_.url);
    const bool known = server && (server->scheme == "smtp" || server->scheme == "smtps");
    if (!known || !is_mail_address(settings_.from.address) ||
        settings_.username.empty() != settings_.password.empty() || settings_.timeout.count() <= 0)
        throw std::invalid_argument{"a setting of the mail server"};
}

delivery_result smtp_mailer::send(const letter& l, std::stop_token stop) {
    if (std::string fault = letter_fault(l); !fault.empty())
        return {delivery::refused, 0, std::move(fault)};

    const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
    const std::string message = mime_message(l, settings_.from, now);
    source body{message};
    curl::handle handle;
    connect_as(handle, settings_);
    handle.set(CURLOPT_MAIL_FROM, "<" + settings_.from.address + ">");
    curl::list recipients;
    recipients.add("<" + l.to + ">");
    handle.set(CURLOPT_MAIL_RCPT, recipients.get());
    handle.set(CURLOPT_UPLOAD, 1L);
    handle.set(CURLOPT_INFILESIZE_LARGE, static_cast<curl_off_t>(message.size()));
    handle.set(CURLOPT_READFUNCTION, &source::give);
    handle.set(CURLOPT_READDATA, &body);
    handle.set(CURLOPT_WRITEFUNCTION, &drop);
    // If no answer comes to a letter, libcurl waits two minutes more for that to QUIT: after the
    // transfer, where only this limit counts, or, with a connection that it keeps, without any.
    handle.set(CURLOPT_FORBID_REUSE, 1L);
    handle.stop_with(std::move(stop),
                     std::chrono::steady_clock::now() + settings_.timeout + farewell);
    const CURLcode code = handle.perform();
    return judge(code, handle.response_code(), body.rest.empty());
}

}  // namespace exportd::jobs
