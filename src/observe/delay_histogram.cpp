#include <exportd/observe/delay_histogram.hpp>

#include <algorithm>
#include <bit>
#include <cmath>

namespace exportd::observe {

// A value v below 2^(linear_bits + 1) is its own bucket. Above, v = m * 2^e with m in [64, 128),
// and the buckets of one e follow those of the one before: 64 * e + m.
std::size_t delay_histogram::bucket_of(std::int64_t value) noexcept {
    const auto v = static_cast<std::uint64_t>(value);
    if (v >= std::uint64_t{1} << value_bits) return bucket_count - 1;
    const auto width = static_cast<unsigned>(std::bit_width(v));
    if (width <= linear_bits + 1) return v;
    const unsigned e = width - linear_bits - 1;
    return (std::size_t{e} << linear_bits) + (v >> e);
}

// The largest value in a bucket.
std::int64_t delay_histogram::end_of(std::size_t bucket) noexcept {
    if (bucket < std::size_t{2} << linear_bits) return static_cast<std::int64_t>(bucket);
    const std::size_t e = (bucket >> linear_bits) - 1;
    const std::size_t m = bucket - (e << linear_bits);
    return static_cast<std::int64_t>(((m + 1) << e) - 1);
}

void delay_histogram::add(microseconds delay, std::uint64_t count) noexcept {
    if (count == 0) return;
    const std::int64_t value = std::max<std::int64_t>(delay.count(), 0);
    buckets_[bucket_of(value)] += count;
    count_ += count;
    sum_ += value * static_cast<std::int64_t>(count);
    max_ = std::max(max_, value);
}

void delay_histogram::add(const delay_histogram& other) noexcept {
    for (std::size_t i = 0; i < bucket_count; ++i)
        buckets_[i] += other.buckets_[i];
    count_ += other.count_;
    sum_ += other.sum_;
    max_ = std::max(max_, other.max_);
}

delay_histogram delay_histogram::since(const delay_histogram& earlier) const noexcept {
    delay_histogram difference;
    for (std::size_t i = 0; i < bucket_count; ++i) {
        difference.buckets_[i] = buckets_[i] - earlier.buckets_[i];
        if (difference.buckets_[i] != 0) difference.max_ = std::min(end_of(i), max_);
    }
    // The last bucket has no end: the exact maximum, if it is new, is the best that is known.
    if (difference.buckets_.back() != 0) difference.max_ = max_;
    difference.count_ = count_ - earlier.count_;
    difference.sum_ = sum_ - earlier.sum_;
    return difference;
}

delay_histogram::microseconds delay_histogram::percentile(double percent) const noexcept {
    if (count_ == 0) return microseconds{0};
    const double share = std::clamp(percent, 0.0, 100.0) / 100.0;
    const auto rank = std::max<std::uint64_t>(
        1, static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(count_))));
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i + 1 < bucket_count; ++i) {
        seen += buckets_[i];
        if (seen >= rank) return microseconds{std::min(end_of(i), max_)};
    }
    return max();
}

delay_histogram::microseconds delay_histogram::mean() const noexcept {
    if (count_ == 0) return microseconds{0};
    return microseconds{sum_ / static_cast<std::int64_t>(count_)};
}

std::uint64_t delay_histogram::count_up_to(microseconds limit) const noexcept {
    if (limit.count() < 0) return 0;
    const std::size_t last = bucket_of(limit.count());
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i <= last; ++i)
        seen += buckets_[i];
    return seen;
}

}  // namespace exportd::observe
