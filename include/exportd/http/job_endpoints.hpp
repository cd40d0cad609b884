#pragma once

#include <exportd/http/exchange.hpp>
#include <exportd/http/file_endpoint.hpp>
#include <exportd/http/job_services.hpp>
#include <exportd/http/router.hpp>

namespace exportd::http {

// POST /exports/{name}/jobs: asks for a background export; see parse_job_body(). 202 with the job
// and its address, also when the Idempotency-Key has had it made before.
class submit_job_endpoint final : public endpoint {
public:
    explicit submit_job_endpoint(job_services& services) : services_{services} {}
    boost::asio::awaitable<void> serve(exchange& x) override;

private:
    job_services& services_;
};

// GET /jobs?limit=: the caller's own jobs, the newest first.
class list_jobs_endpoint final : public endpoint {
public:
    explicit list_jobs_endpoint(job_services& services) : services_{services} {}
    boost::asio::awaitable<void> serve(exchange& x) override;

private:
    job_services& services_;
};

// GET /jobs/{id}: how a job of the caller's stands.
class job_endpoint final : public endpoint {
public:
    explicit job_endpoint(job_services& services) : services_{services} {}
    boost::asio::awaitable<void> serve(exchange& x) override;

private:
    job_services& services_;
};

// DELETE /jobs/{id}: ends a job or deletes its file, and tells how it stands then.
class cancel_job_endpoint final : public endpoint {
public:
    explicit cancel_job_endpoint(job_services& services) : services_{services} {}
    boost::asio::awaitable<void> serve(exchange& x) override;

private:
    job_services& services_;
};

// All endpoints of background exports.
class job_endpoints {
public:
    explicit job_endpoints(job_services& services)
        : submit_{services}, list_{services}, show_{services}, cancel_{services}, file_{services} {}

    // Gives each its route. They outlive the router.
    void add_to(router& routes);

private:
    submit_job_endpoint submit_;
    list_jobs_endpoint list_;
    job_endpoint show_;
    cancel_job_endpoint cancel_;
    file_endpoint file_;
};

}  // namespace exportd::http
