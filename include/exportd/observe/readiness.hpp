#pragma once

#include <atomic>
#include <string_view>

namespace exportd::observe {

// Whether the service wants new work. Set on the loop's thread, read on any.
class readiness {
public:
    enum class state { starting, ready, draining };

    void set(state s) noexcept { state_.store(s); }

    // Empty when it is ready, else why not.
    std::string_view reason() const noexcept {
        switch (state_.load()) {
            case state::starting:
                return "starting";
            case state::draining:
                return "draining";
            case state::ready:
                break;
        }
        return {};
    }

private:
    std::atomic<state> state_{state::starting};
};

}  // namespace exportd::observe
