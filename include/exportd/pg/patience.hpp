#pragma once

#include <exportd/rows/errc.hpp>

#include <algorithm>
#include <chrono>

namespace exportd::pg {

// How long one operation waits for the server: for each wait `silence`, and in all until
// `deadline`, whichever comes first.
struct patience {
    using clock = std::chrono::steady_clock;

    std::chrono::milliseconds silence{0};  // 0: no limit
    clock::time_point deadline = clock::time_point::max();
    errc too_late = errc::progress_timeout;  // the error when `deadline` passes

    struct limit {
        clock::time_point at;
        errc error;
    };

    limit next_wait(clock::time_point now) const noexcept {
        const auto quiet = silence.count() > 0 ? now + silence : clock::time_point::max();
        if (deadline <= quiet) return {deadline, too_late};
        return {quiet, errc::progress_timeout};
    }
};

}  // namespace exportd::pg
