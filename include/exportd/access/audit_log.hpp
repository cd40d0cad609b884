#pragma once

#include <exportd/access/audit_recorder.hpp>
#include <exportd/observe/log_format.hpp>
#include <exportd/observe/logger.hpp>

namespace exportd::access {

// Records as lines of the log: event "audit". They are neither dropped nor left out by log.level.
class audit_log final : public audit_sink {
public:
    // The logger outlives it.
    explicit audit_log(observe::logger& to) : to_{to} {}

    std::string_view name() const noexcept override { return "log"; }
    void write(const audit_record& r) override;
    void hurry() noexcept override;

private:
    observe::logger& to_;
};

}  // namespace exportd::access
