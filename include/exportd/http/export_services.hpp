#pragma once

#include <exportd/access/audit.hpp>
#include <exportd/access/policy.hpp>
#include <exportd/access/quota.hpp>
#include <exportd/exports/admission.hpp>
#include <exportd/exports/catalog.hpp>
#include <exportd/exports/encoder_factory.hpp>
#include <exportd/exports/load_shedder.hpp>
#include <exportd/exports/receipts.hpp>
#include <exportd/http/exchange.hpp>
#include <exportd/http/lifecycle.hpp>
#include <exportd/http/problem.hpp>
#include <exportd/observe/delay_histogram.hpp>
#include <exportd/observe/event.hpp>
#include <exportd/rows/row_source_factory.hpp>
#include <exportd/rows/turns.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace exportd::http {

// What an export may cost; see config/exportd.toml.
struct export_limits {
    std::uint64_t stream_row_limit = 0;  // 0: none
    std::size_t chunk_bytes = 64 * 1024;
    std::chrono::microseconds turn_budget{1000};
    std::chrono::milliseconds first_row_timeout{0};
    std::chrono::milliseconds count_timeout{0};  // see rows::query
    transfer_limits transfer;
    bool jobs = false;  // whether background exports are made here
};

// What the endpoints that run queries share. Everything outlives them. Loop thread only.
struct export_services {
    const exports::catalog& catalog;
    const access::policy_store& policies;
    const exports::encoder_factory& encoders;
    rows::row_source_factory& rows;
    rows::turns& turns;
    exports::admission& admission;
    const exports::load_shedder& shedder;
    exports::receipt_store& receipts;
    const lifecycle& life;
    observe::observer& observer;
    access::audit& audit;
    access::quota& quota;
    std::function<observe::delay_histogram()> loop_delay;  // since the start of the service
    export_limits limits;
};

// Rows that may be streamed of this export; 0: no limit.
std::uint64_t row_limit_of(const exports::definition& d, const export_limits& limits);

// The query of one range, without a row limit. `tag` shows in pg_stat_activity.
rows::query make_query(const exports::definition& d, const exports::date_range& range,
                       std::string tag, const export_limits& limits);

// Why no new work is begun at the moment, if so: the service is ending, or its loop is late.
std::optional<problem> refusal_of(const lifecycle& life, const exports::load_shedder& shedder);

// Why the caller gets no further rows today, if so.
std::optional<problem> row_quota_of(const access::quota& quota, const request& r);

// The right to run one more query for the caller, or why not.
struct entrance {
    std::optional<exports::admission::ticket> ticket;
    std::optional<problem> refused;  // neither: the client left while it waited
    std::string_view reason;         // of a refusal, for the log and metrics
    std::chrono::milliseconds waited{0};
};
// Waits for the caller's turn if the exports that run leave no room.
boost::asio::awaitable<entrance> enter(const export_services& services, exchange& x);

// What a request asks of which export, or the problem that tells why it can't be had.
struct asked_export {
    const exports::catalog_entry* entry = nullptr;
    exports::request what;
    std::optional<problem> refused;
};
asked_export find_asked(const export_services& services, std::string_view name, const request& r);

// The request that asks for the same as a background export, as a JSON object: method, href,
// content_type and body.
std::string job_offer(const exports::definition& d, const exports::request& asked);

}  // namespace exportd::http
