#include <exportd/http/json.hpp>
#include <exportd/http/problem.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace exportd::http {
namespace {

constexpr std::chrono::seconds soon{2};
constexpr std::chrono::seconds later{10};

problem make(unsigned status, std::string_view code, std::string_view detail,
             std::optional<std::chrono::seconds> retry_after = std::nullopt) {
    problem p;
    p.status = status;
    p.code = code;
    p.detail = detail;
    p.retry_after = retry_after;
    return p;
}

}  // namespace

std::string_view title_of(unsigned status) noexcept {
    switch (status) {
        case 200:
            return "OK";
        case 202:
            return "Accepted";
        case 206:
            return "Partial Content";
        case 303:
            return "See Other";
        case 304:
            return "Not Modified";
        case 400:
            return "Bad Request";
        case 401:
            return "Unauthorized";
        case 403:
            return "Forbidden";
        case 404:
            return "Not Found";
        case 405:
            return "Method Not Allowed";
        case 406:
            return "Not Acceptable";
        case 408:
            return "Request Timeout";
        case 409:
            return "Conflict";
        case 410:
            return "Gone";
        case 412:
            return "Precondition Failed";
        case 413:
            return "Content Too Large";
        case 414:
            return "URI Too Long";
        case 415:
            return "Unsupported Media Type";
        case 416:
            return "Range Not Satisfiable";
        case 422:
            return "Unprocessable Content";
        case 429:
            return "Too Many Requests";
        case 431:
            return "Request Header Fields Too Large";
        case 500:
            return "Internal Server Error";
        case 502:
            return "Bad Gateway";
        case 503:
            return "Service Unavailable";
        case 504:
            return "Gateway Timeout";
        case 505:
            return "HTTP Version Not Supported";
        default:
            return "Error";
    }
}

response to_response(const problem& p, std::string_view request_id) {
    json_object body;
    // RFC 9457 section 4.2.1: about:blank says that the title is that of the status.
    body.text("type", "about:blank").text("title", title_of(p.status)).number("status", p.status);
    body.text("code", p.code).text("detail", p.detail);
    if (!p.parameter.empty()) body.text("parameter", p.parameter);
    for (const auto& [name, json] : p.extra)
        body.raw(name, json);
    body.text("request_id", request_id);

    response r;
    r.status = p.status;
    r.content_type = "application/problem+json";
    r.body = std::move(body).done();
    r.body += '\n';
    if (p.retry_after) r.fields.push_back({"Retry-After", std::to_string(p.retry_after->count())});
    if (!p.allow.empty())
        r.fields.push_back({"Allow", fmt::format("{}", fmt::join(p.allow, ", "))});
    return r;
}

problem problem_of(errc e) {
    switch (e) {
        case errc::query_failed:
        case errc::unsupported_type:
            return make(502, "query_failed",
                        "The database refused or could not finish the query of this export.");
        case errc::database_unavailable:
            return make(503, "database_unavailable",
                        "The database cannot be reached at the moment.", later);
        case errc::pool_exhausted:
            return make(503, "overloaded",
                        "As many exports run as the database allows; try again soon.", soon);
        case errc::first_row_timeout:
        case errc::progress_timeout:
            return make(504, "first_row_timeout",
                        "The database did not deliver the first row in time.");
        case errc::export_deadline:
            return make(504, "export_deadline", "The export took longer than it may.");
        case errc::shutting_down:
            return make(503, "shutting_down", "The service is being stopped; try again soon.",
                        soon);
        case errc::too_many_rows:
            return make(422, "too_many_rows",
                        "The range holds too many rows for a streamed export.");
        case errc::client_gone:
        case errc::stalled:
            break;
    }
    return internal_error();
}

problem bad_request(std::string_view code, std::string_view detail) {
    return make(400, code, detail);
}

problem not_found() {
    return make(404, "not_found", "There is nothing at this address.");
}

problem method_not_allowed(std::vector<std::string> allow) {
    problem p = make(405, "method_not_allowed", "This address does not take that method.");
    p.allow = std::move(allow);
    return p;
}

problem internal_error() {
    return make(500, "internal_error",
                "The service failed; the request id leads to the cause in its log.");
}

}  // namespace exportd::http
