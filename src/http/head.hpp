#pragma once

#include <exportd/http/message.hpp>

#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/fields.hpp>
#include <boost/beast/http/message.hpp>

#include <string_view>

namespace exportd::http {

// What the connection decides about every answer on it.
struct answer_context {
    std::string_view request_id;
    bool http_1_0 = false;
    bool close = false;                                 // the connection ends with this answer
    const std::vector<header_field>* fields = nullptr;  // of every answer to the request
};

// Fills the fields that every answer carries, then those of the answer.
void set_common(boost::beast::http::header<false, boost::beast::http::fields>& header,
                const answer_context& context, const std::vector<header_field>& fields,
                std::string_view content_type);

// The head of a streamed answer.
boost::beast::http::response<boost::beast::http::empty_body> make_stream_head(
    const stream_head& head, const answer_context& context);

}  // namespace exportd::http
