#include "head.hpp"

#include <boost/beast/http/field.hpp>
#include <boost/beast/http/status.hpp>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <ctime>

namespace exportd::http {
namespace beast = boost::beast::http;

namespace {

// IMF-fixdate (RFC 9110 section 5.6.7), in English whatever the process's locale.
std::string http_date() {
    const auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
    return fmt::format("{:%a, %d %b %Y %H:%M:%S} GMT", fmt::gmtime(now));
}

}  // namespace

void set_common(beast::header<false, beast::fields>& header, const answer_context& context,
                const std::vector<header_field>& fields, std::string_view content_type) {
    header.version(context.http_1_0 ? 10 : 11);
    header.set(beast::field::date, http_date());
    header.set(beast::field::content_type, content_type);
    header.set(beast::field::cache_control, "private, no-store");
    header.set("X-Content-Type-Options", "nosniff");
    header.set("X-Request-Id", context.request_id);
    if (context.close) header.set(beast::field::connection, "close");
    for (const auto& [name, value] : fields)
        header.set(name, value);
}

beast::response<beast::empty_body> make_stream_head(const stream_head& head,
                                                    const answer_context& context) {
    beast::response<beast::empty_body> message;
    message.result(beast::status::ok);
    set_common(message, context, head.fields, head.content_type);
    if (!context.http_1_0) {
        message.set(beast::field::transfer_encoding, "chunked");
        if (!head.trailers.empty())
            message.set(beast::field::trailer, fmt::format("{}", fmt::join(head.trailers, ", ")));
    }
    return message;
}

}  // namespace exportd::http
