// Any body, content type and idempotency key of a request.
#include <boost/json.hpp>
#include <fuzzer/FuzzedDataProvider.h>
#include <http/flat_object.hpp>
#include <http/form.hpp>
#include <http/job_body.hpp>

#include "check.hpp"

using namespace exportd;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    FuzzedDataProvider in{data, size};
    const auto key = in.ConsumeRandomLengthString(300);
    const auto type = in.ConsumeRandomLengthString(100);
    const auto body = in.ConsumeRemainingBytesAsString();
    const auto read = http::parse_job_body(body);
    if (const auto* found = std::get_if<http::job_body>(&read)) {
        // What is read is an object for an independent reader too.
        boost::system::error_code fault;
        const auto value = boost::json::parse(body, fault);
        fuzz::check(!fault && value.is_object(), "a JSON object");
        for (const auto& [name, text] : found->parameters) {
            const auto* member = value.get_object().if_contains(name);
            fuzz::check(member != nullptr, "a member that is there");
            if (member->is_string()) fuzz::check(member->get_string() == text, "the same text");
        }
    } else {
        fuzz::check(std::get<http::problem>(read).status == 400, "a problem of the caller's");
    }
    if (const auto parsed = http::parse_idempotency_key(key)) {
        fuzz::check(!parsed->empty() && parsed->size() <= 255, "a bounded key");
        for (const char c : *parsed)
            fuzz::check(c > ' ' && c < '\x7f', "of visible characters");
    }
    http::is_json_type(type);
    http::request r;
    r.content_type = "application/x-www-form-urlencoded";
    r.body = body;
    if (const auto form = http::parse_form(r)) http::field_of(*form, "token");
    return 0;
}
