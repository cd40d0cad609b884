#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string_view>
#include <vector>

namespace exportd::observe {

// What an outage of the database means for the readiness.
enum class outage_choice : std::uint8_t {
    stay,  // nothing: requests are answered 503 and say what is wrong
    fail,  // not ready: a balancer sends requests elsewhere, if there is an elsewhere
};

// Whether the service wants new work. Set on the thread that knows, read on any.
class readiness {
public:
    enum class state : std::uint8_t { starting, ready, draining };

    // All that reasons() may hold.
    static constexpr std::array<std::string_view, 4> every_reason{"starting", "draining", "delay",
                                                                  "database"};

    explicit readiness(outage_choice on_database_outage = outage_choice::stay) noexcept
        : on_outage_{on_database_outage} {}

    void set(state s) noexcept { state_.store(s); }
    // The loop's delay has been too high for too long; see delay_gate.
    void set_delayed(bool delayed) noexcept { delayed_.store(delayed); }
    // There is no connection to the database, and none can be made.
    void set_database_lost(bool lost) noexcept { database_lost_.store(lost); }

    // Why it is not ready, in the order of every_reason; empty when it is.
    std::vector<std::string_view> reasons() const {
        const auto s = state_.load();
        const std::array holds{s == state::starting, s == state::draining, delayed_.load(),
                               database_lost_.load() && on_outage_ == outage_choice::fail};
        std::vector<std::string_view> all;
        for (std::size_t i = 0; i < holds.size(); ++i) {
            if (holds[i]) all.push_back(every_reason[i]);
        }
        return all;
    }

private:
    outage_choice on_outage_;
    std::atomic<state> state_{state::starting};
    std::atomic<bool> delayed_{false};
    std::atomic<bool> database_lost_{false};
};

}  // namespace exportd::observe
