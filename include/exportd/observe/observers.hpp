#pragma once

#include <exportd/observe/event.hpp>

#include <functional>
#include <utility>
#include <vector>

namespace exportd::observe {

// Tells every event to several observers, in their order. They outlive it.
class observers final : public observer {
public:
    explicit observers(std::vector<std::reference_wrapper<observer>> told)
        : told_{std::move(told)} {}

    void observe(const event& e) noexcept override {
        for (observer& each : told_)
            each.observe(e);
    }

private:
    std::vector<std::reference_wrapper<observer>> told_;
};

}  // namespace exportd::observe
