#include "attempt.hpp"

#include <boost/uuid/random_generator.hpp>
#include <boost/uuid/uuid_io.hpp>

namespace exportd::http {
namespace asio = boost::asio;
using phase = access::audit_record::phase;

namespace {

problem unrecorded() {
    problem p;
    p.status = 503;
    p.code = "audit_unavailable";
    p.detail = "What is given out has to be recorded, and can't be at the moment; try again soon.";
    p.retry_after = std::chrono::seconds{10};
    return p;
}

}  // namespace

attempt::attempt(access::audit& to, const request& r, std::string_view action) : to_{to} {
    record_.attempt = to_string(boost::uuids::random_generator_pure{}());
    record_.action = action;
    record_.who = r.identity;
    record_.from = r.client;
    record_.request_id = r.request_id;
}

attempt::~attempt() {
    if (open_) end("failed", "internal_error", 0, 0);
}

void attempt::about(std::string_view export_name, std::string_view subject) {
    record_.export_name = export_name;
    record_.subject = subject;
}

void attempt::about(const exports::request& asked) {
    range(asked.range);
    record_.options = asked.values == exports::values::raw ? "raw" : "formatted";
    if (asked.excel) record_.options += " excel";
}

void attempt::range(exports::date_range range) {
    record_.range_from = range.from;
    record_.range_to = range.to;
}

void attempt::refuse(std::string_view code) {
    record_.what = phase::refused;
    record_.outcome = "refused";
    record_.code = code;
    to_.note(record_);
}

asio::awaitable<std::optional<problem>> attempt::begin() {
    record_.what = phase::start;
    auto start = record_;
    const bool recorded = co_await to_.begin(std::move(start));
    std::optional<problem> why;
    if (!recorded) why = unrecorded();
    open_ = recorded;
    co_return why;
}

void attempt::end(std::string_view outcome, std::string_view code, std::uint64_t rows,
                  std::uint64_t bytes) {
    open_ = false;
    record_.what = phase::end;
    record_.outcome = outcome;
    record_.code = code;
    record_.rows = rows;
    record_.bytes = bytes;
    record_.duration = std::chrono::duration_cast<std::chrono::milliseconds>(
        std::chrono::steady_clock::now() - began_);
    to_.note(record_);
}

void attempt::done(std::string_view subject) {
    record_.subject = subject;
    end("complete", {}, 0, 0);
}

}  // namespace exportd::http
