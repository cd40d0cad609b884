#include "head.hpp"

#include <boost/beast/http/field.hpp>
#include <boost/beast/http/status.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "http_date.hpp"
#include <chrono>

namespace exportd::http {
namespace beast = boost::beast::http;

namespace {

// Instead of what was there; several of one name stay several.
void put(beast::header<false, beast::fields>& header, const std::vector<header_field>& fields) {
    for (const auto& field : fields)
        header.erase(field.name);
    for (const auto& [name, value] : fields)
        header.insert(name, value);
}

}  // namespace

void set_common(beast::header<false, beast::fields>& header, const answer_context& context,
                const std::vector<header_field>& fields, std::string_view content_type) {
    header.version(context.http_1_0 ? 10 : 11);
    const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
    header.set(beast::field::date, to_http_date(now));
    if (!content_type.empty()) header.set(beast::field::content_type, content_type);
    header.set(beast::field::cache_control, "private, no-store");
    header.set("X-Content-Type-Options", "nosniff");
    header.set("X-Request-Id", context.request_id);
    if (context.close) header.set(beast::field::connection, "close");
    if (context.fields != nullptr) put(header, *context.fields);
    put(header, fields);
}

beast::response<beast::empty_body> make_stream_head(const stream_head& head,
                                                    const answer_context& context) {
    beast::response<beast::empty_body> message;
    message.result(head.status);
    set_common(message, context, head.fields, head.content_type);
    if (head.content_length) {
        message.content_length(*head.content_length);
    } else if (!context.http_1_0) {
        message.set(beast::field::transfer_encoding, "chunked");
        if (!head.trailers.empty())
            message.set(beast::field::trailer, fmt::format("{}", fmt::join(head.trailers, ", ")));
    }
    return message;
}

}  // namespace exportd::http
