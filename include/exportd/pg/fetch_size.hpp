#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>

namespace exportd::pg {

// How many rows the next FETCH asks for: so many that a batch is about the wanted bytes and takes
// the server no more than about 250 ms, from 1 to 2,000, and at most eight times as many as
// were just seen. Plain state, no I/O.
class fetch_size {
public:
    static constexpr std::size_t first = 1;  // so that the first row is seen at once
    static constexpr std::size_t most = 2'000;
    // Bytes of a batch while few queries run, and the least that many at once come down to: a batch
    // is taken apart in one turn of the loop, and all others wait for it.
    static constexpr std::size_t most_bytes = 96 * 1024;
    static constexpr std::size_t least_bytes = 24 * 1024;
    static constexpr std::size_t shared_bytes = 4 * most_bytes;
    static constexpr std::size_t growth = 8;
    static constexpr std::chrono::milliseconds longest{250};

    std::size_t rows() const noexcept { return rows_; }

    // What came of a FETCH: its rows, their bytes and how long the caller waited for it.
    // `running` queries share the loop, this one included.
    void observe(std::size_t rows, std::size_t bytes, std::chrono::nanoseconds waited,
                 std::size_t running = 1) noexcept {
        if (rows == 0) return;
        auto wanted = std::min(most, rows * growth);
        const auto share_of_loop =
            std::clamp(shared_bytes / std::max<std::size_t>(1, running), least_bytes, most_bytes);
        wanted = std::min(wanted, share_of_loop / std::max<std::size_t>(1, bytes / rows));
        if (waited > longest / 8) {
            const auto share = static_cast<double>(std::chrono::nanoseconds{longest}.count()) /
                               static_cast<double>(waited.count());
            wanted = std::min(wanted, static_cast<std::size_t>(share * static_cast<double>(rows)));
        }
        rows_ = std::max<std::size_t>(1, wanted);
    }

private:
    std::size_t rows_ = first;
};

}  // namespace exportd::pg
