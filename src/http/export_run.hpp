#pragma once

#include <exportd/exports/receipts.hpp>
#include <exportd/exports/request.hpp>
#include <exportd/http/export_services.hpp>

#include <boost/asio/awaitable.hpp>

#include "attempt.hpp"
#include <chrono>
#include <memory>
#include <optional>
#include <string>

namespace exportd::http {

// One export from its admission to its end: the transfer, its receipt, its two events. Lives in
// the frame of the endpoint's coroutine.
class export_run {
public:
    export_run(export_services& services, exchange& x, const exports::catalog_entry& entry,
               exports::request asked);

    // The head that GET and HEAD answer with.
    stream_head head() const;

    // False when the caller's receipt id is taken.
    bool open_receipt();

    // Runs the export to its end, whichever that is, and tells it. A problem is returned when
    // it ended before anything was sent and there is somebody to tell. `waited` is how long it
    // waited for its turn.
    boost::asio::awaitable<std::optional<problem>> run(std::chrono::milliseconds waited);

private:
    boost::asio::awaitable<void> transfer();
    std::vector<header_field> trailers(const rows::totals& sent) const;
    exports::turn_budget budget() const;
    bool wants_digest() const;
    problem too_many(const rows::too_many_rows& found) const;
    std::optional<problem> failed(errc e, const std::string& cause);
    void tell_start(std::chrono::milliseconds waited) const;
    void tell_progress();
    void end_receipt(exports::receipt_state state, std::string_view code);
    void tell_end(exports::receipt_state state, std::string_view code, const std::string& cause);

    export_services& services_;
    exchange& exchange_;
    const exports::catalog_entry& entry_;
    exports::request asked_;
    std::string id_;
    std::shared_ptr<exports::receipt> receipt_;
    observe::delay_histogram delay_at_start_;
    std::chrono::steady_clock::time_point started_;
    std::chrono::steady_clock::time_point next_progress_;
    std::unique_ptr<exports::row_encoder> encoder_;
    attempt attempt_;
    std::optional<std::chrono::steady_clock::time_point> first_byte_;
};

}  // namespace exportd::http
