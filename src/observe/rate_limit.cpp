#include <exportd/observe/rate_limit.hpp>

#include <utility>

namespace exportd::observe {

bool rate_limit::allow(clock::time_point now) noexcept {
    const auto due = (now - refilled_) / interval_;
    if (due >= burst_ - left_) {
        left_ = burst_;
        refilled_ = now;
    } else if (due > 0) {
        left_ += static_cast<unsigned>(due);
        refilled_ += due * interval_;
    }
    if (left_ == 0) {
        ++suppressed_;
        return false;
    }
    --left_;
    return true;
}

std::uint64_t rate_limit::take_suppressed() noexcept {
    return std::exchange(suppressed_, 0);
}

}  // namespace exportd::observe
