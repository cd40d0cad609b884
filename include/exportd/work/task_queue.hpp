#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>

namespace exportd::work {

// Which task runs next; knows neither threads nor clocks. Not thread-safe.
//
// Callers take turns, and each caller's tasks
// run in their order. Somebody with many tasks delays their own.
class task_queue {
public:
    using id = std::uint64_t;

    explicit task_queue(std::size_t most) : most_{most} {}

    // False, and nothing queued, when the queue is full. Each id is used once.
    bool push(const std::string& caller, id task);

    std::optional<id> pop();

    // False if it is not queued (any more).
    bool remove(id task);

    std::size_t size() const noexcept { return size_; }

private:
    struct line {
        std::string caller;
        std::deque<id> tasks;  // never empty
    };

    std::size_t most_;
    std::size_t size_ = 0;
    std::deque<line> lines_;  // in the order of turns
};

}  // namespace exportd::work
