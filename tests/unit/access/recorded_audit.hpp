#pragma once

#include <exportd/access/audit.hpp>

#include <utility>
#include <vector>

namespace exportd::access {

// Keeps the records; says of each start what it is told to say.
class recorded_audit final : public audit {
public:
    boost::asio::awaitable<bool> begin(audit_record r) override {
        records.push_back(std::move(r));
        co_return available;
    }
    void note(audit_record r) override { records.push_back(std::move(r)); }

    bool available = true;
    std::vector<audit_record> records;
};

}  // namespace exportd::access
