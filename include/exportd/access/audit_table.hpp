#pragma once

#include <exportd/access/audit_recorder.hpp>
#include <exportd/sql/session.hpp>

namespace exportd::access {

// Records as rows of exportd.audit; see sql/schema.
class audit_table final : public audit_sink {
public:
    explicit audit_table(sql::session_options database) : session_{std::move(database)} {}

    std::string_view name() const noexcept override { return "table"; }
    void write(const audit_record& r) override;
    void hurry() noexcept override { session_.hurry(); }

private:
    sql::session session_;
};

}  // namespace exportd::access
