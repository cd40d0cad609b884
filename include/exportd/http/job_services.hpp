#pragma once

#include <exportd/access/audit.hpp>
#include <exportd/access/policy.hpp>
#include <exportd/access/quota.hpp>
#include <exportd/exports/admission.hpp>
#include <exportd/exports/catalog.hpp>
#include <exportd/http/exchange.hpp>
#include <exportd/http/lifecycle.hpp>
#include <exportd/jobs/job_desk.hpp>
#include <exportd/observe/event.hpp>

#include <chrono>
#include <cstddef>

namespace exportd::http {

// What an answer about background exports may cost.
struct job_service_limits {
    std::chrono::milliseconds desk_timeout{10'000};  // of one call of the desk
    std::size_t piece_bytes = 256 * 1024;  // read at once of a file; a download holds two of them
    transfer_limits transfer;              // of a download
};

// What the endpoints of background exports share. Everything outlives them. Loop thread only.
struct job_services {
    jobs::job_desk& desk;
    const exports::catalog& catalog;
    const access::policy_store& policies;
    exports::admission& downloads;  // which does not let wait
    const lifecycle& life;
    observe::observer& observer;
    access::audit& audit;
    access::quota& quota;
    job_service_limits limits;
};

}  // namespace exportd::http
