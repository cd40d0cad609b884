#pragma once

#include <exportd/access/audit.hpp>
#include <exportd/exports/request.hpp>
#include <exportd/http/message.hpp>
#include <exportd/http/problem.hpp>

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

namespace exportd::http {

// What somebody tries to get, for the audit: refused, or begun and then ended. One that is dropped
// between its begin and its end has ended as failed. The references outlive it.
class attempt {
public:
    attempt(access::audit& to, const request& r, std::string_view action);
    ~attempt();
    attempt(const attempt&) = delete;
    attempt& operator=(const attempt&) = delete;

    // What it is about; names of unknown exports are the caller's own text and stay out.
    void about(std::string_view export_name, std::string_view subject = {});
    void about(const exports::request& asked);
    void by(std::string_view who) { record_.who = who; }
    void options(std::string_view text) { record_.options = text; }
    void range(exports::date_range range);

    void refuse(std::string_view code);

    // Nothing, or why it may not go on: its start could not be recorded.
    boost::asio::awaitable<std::optional<problem>> begin();

    // After a begin() that gave nothing; once.
    void end(std::string_view outcome, std::string_view code, std::uint64_t rows,
             std::uint64_t bytes);

    // Recorded as one that needs no start: nothing was given out.
    void done(std::string_view subject);

private:
    access::audit& to_;
    access::audit_record record_;
    std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
    bool open_ = false;
};

}  // namespace exportd::http
