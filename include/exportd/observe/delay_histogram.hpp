#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace exportd::observe {

// Counts delays in microseconds, in log-linear buckets: exact below 128 us, each bucket at most
// 1/64 (1.6 %) wide from there to 67 s; longer ones share the last bucket, but max() and mean()
// stay exact. About 11 KiB, never more. Negative delays count as 0. Not thread-safe.
class delay_histogram {
public:
    using microseconds = std::chrono::microseconds;

    void add(microseconds delay, std::uint64_t count = 1) noexcept;
    void add(const delay_histogram& other) noexcept;
    void clear() noexcept { *this = {}; }

    // What was added since `earlier`, a copy of this histogram taken before. Its max() is that
    // of the highest bucket in it, so up to 1.6 % above the true one.
    delay_histogram since(const delay_histogram& earlier) const noexcept;

    std::uint64_t count() const noexcept { return count_; }
    microseconds sum() const noexcept { return microseconds{sum_}; }

    // The smallest value that at least `percent` (0 to 100) of the delays do not exceed, rounded
    // up to the end of its bucket; 0 without delays.
    microseconds percentile(double percent) const noexcept;
    microseconds max() const noexcept { return microseconds{max_}; }
    microseconds mean() const noexcept;  // rounded down; 0 without delays

    // Delays of at most `limit`, as a Prometheus bucket wants them; those in the bucket of
    // `limit` count as at most it.
    std::uint64_t count_up_to(microseconds limit) const noexcept;

private:
    static constexpr unsigned linear_bits = 6;  // 2^6 buckets for each doubling
    static constexpr unsigned value_bits = 26;  // 2^26 us = 67 s
    static constexpr std::size_t bucket_count = (value_bits - linear_bits + 1) << linear_bits;

    static std::size_t bucket_of(std::int64_t value) noexcept;
    static std::int64_t end_of(std::size_t bucket) noexcept;

    std::array<std::uint64_t, bucket_count> buckets_{};
    std::uint64_t count_ = 0;
    std::int64_t sum_ = 0;
    std::int64_t max_ = 0;
};

static_assert(sizeof(delay_histogram) < 16 * 1024);

}  // namespace exportd::observe
