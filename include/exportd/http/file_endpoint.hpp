#pragma once

#include <exportd/http/exchange.hpp>
#include <exportd/http/job_services.hpp>

namespace exportd::http {

// GET and HEAD /jobs/{id}/file: the file of a complete job, or the part of it that Range asks for.
// Its owner may have it, and who shows the token of a mailed link: /jobs/{id}/file?token=.
class file_endpoint final : public endpoint {
public:
    explicit file_endpoint(job_services& services) : services_{services} {}
    boost::asio::awaitable<void> serve(exchange& x) override;

private:
    job_services& services_;
};

}  // namespace exportd::http
