#include <exportd/observe/stall_watch.hpp>

namespace exportd::observe {

stall_watch::change stall_watch::look(clock::time_point now, clock::time_point last_turn) noexcept {
    const bool rested = now - looked_ > limit_;
    looked_ = now;
    if (since_) {
        if (last_turn <= *since_) return change::none;
        last_length_ = last_turn - *since_;
        ended_ += last_length_;
        since_.reset();
        return change::ended;
    }
    if (rested || now - last_turn <= limit_) return change::none;
    since_ = last_turn;
    ++stalls_;
    return change::begun;
}

stall_counts stall_watch::counts() const noexcept {
    const auto current = since_ ? looked_ - *since_ : clock::duration{0};
    return {stalls_, ended_ + current, current};
}

}  // namespace exportd::observe
