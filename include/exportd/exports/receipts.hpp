#pragma once

#include <exportd/exports/date_range.hpp>
#include <exportd/rows/byte_sink.hpp>

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace exportd::exports {

enum class receipt_state { running, complete, failed, aborted };

// "running", "complete", "failed", "aborted".
std::string_view name_of(receipt_state s) noexcept;

// How late the loop was while one export ran, in milliseconds.
struct loop_delay_summary {
    double p50 = 0;
    double p99 = 0;
    double max = 0;
};

// What became of one export. The export updates it as it goes.
struct receipt {
    std::string export_id;
    std::string export_name;
    std::string owner;  // who may see it; empty while nobody is told apart
    date_range range;
    std::string request_key;  // what was asked for, to tell two requests apart
    receipt_state state = receipt_state::running;
    rows::totals sent;
    std::optional<std::uint64_t> expected_rows;
    std::optional<std::string> sha256;  // lower-case hex
    std::optional<std::string> code;    // the stable code of what ended it early
    std::chrono::system_clock::time_point started_at;
    std::optional<std::chrono::system_clock::time_point> finished_at;
    std::optional<loop_delay_summary> loop_delay;
};

// Remembers a bounded number of receipts for a bounded time, by the export's id and by the id
// that the caller chose. Running ones are never dropped. Loop thread only.
class receipt_store {
public:
    using clock = std::chrono::system_clock;

    receipt_store(std::size_t capacity, std::chrono::milliseconds time_to_live);

    // Registers a new receipt. Null when the caller's id is taken: by an export that runs, or by
    // another request. The same request may use its id again once its export has ended, as
    // a browser does that repeats a download.
    std::shared_ptr<receipt> open(receipt r, const std::optional<std::string>& caller_id);

    // Null for an id that is unknown, another owner's or has expired.
    std::shared_ptr<const receipt> find(std::string_view owner, std::string_view id,
                                        clock::time_point now);

    // The owner's, the newest first.
    std::vector<std::shared_ptr<const receipt>> list(std::string_view owner, std::size_t most,
                                                     clock::time_point now) const;

private:
    struct entry {
        std::string id;
        std::shared_ptr<receipt> kept;
    };
    void make_room(clock::time_point now);
    bool expired(const receipt& r, clock::time_point now) const;

    std::size_t capacity_;
    std::chrono::milliseconds time_to_live_;
    std::map<std::string, std::shared_ptr<receipt>, std::less<>> by_id_;
    std::deque<entry> in_order_;
};

}  // namespace exportd::exports
