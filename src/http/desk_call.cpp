#include "desk_call.hpp"

#include <exportd/exports/request.hpp>

#include <boost/system/system_error.hpp>

#include <algorithm>

namespace exportd::http {
namespace asio = boost::asio;

namespace {

problem unavailable(std::string_view code, std::string_view detail) {
    problem p;
    p.status = 503;
    p.code = code;
    p.detail = detail;
    return p;
}

desk_outcome outcome_of(errc e) {
    desk_outcome out;
    if (e == errc::client_gone || e == errc::stalled) {
        out.gone = true;
    } else if (e == errc::export_deadline) {
        out.failure = problem_of(jobs::desk_fault::unavailable);
    } else {
        out.failure = problem_of(e);
    }
    return out;
}

}  // namespace

problem problem_of(jobs::desk_fault why) {
    switch (why) {
        case jobs::desk_fault::disabled:
            return unavailable("jobs_disabled", "This service makes no background exports.");
        case jobs::desk_fault::not_migrated:
            return unavailable("jobs_not_set_up",
                               "Background exports are not set up yet: whoever runs this service "
                               "has to call exportd migrate.");
        case jobs::desk_fault::unavailable:
            break;
    }
    auto p = unavailable("jobs_unavailable",
                         "Background exports can't be reached at the moment; try again soon.");
    p.retry_after = std::chrono::seconds{10};
    return p;
}

asio::awaitable<desk_outcome> run_desk_call(const job_services& services, exchange& x,
                                            asio::awaitable<void> call) {
    desk_outcome out;
    try {
        const transfer_limits limits{{}, services.limits.desk_timeout};
        co_await x.guard(std::move(call), limits);
    } catch (const jobs::desk_error& e) {
        out.failure = problem_of(e.why);
    } catch (const boost::system::system_error& e) {
        if (e.code().category() != export_category()) throw;
        out = outcome_of(static_cast<errc>(e.code().value()));
    }
    co_return out;
}

std::optional<std::string> job_id_in(std::string_view segment) {
    if (!exports::is_uuid(segment)) return std::nullopt;
    std::string id{segment};
    std::transform(id.begin(), id.end(), id.begin(), [](char c) {
        return c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return id;
}

}  // namespace exportd::http
