#include <exportd/observe/delay_gate.hpp>

namespace exportd::observe {

bool delay_gate::update(clock::time_point now, std::chrono::microseconds delay) noexcept {
    const bool beyond = high_ ? delay < limits_.leave : delay > limits_.enter;
    if (!beyond) {
        beyond_since_.reset();
        return false;
    }
    if (!beyond_since_) beyond_since_ = now;
    if (now - *beyond_since_ < limits_.sustain) return false;
    high_ = !high_;
    beyond_since_.reset();
    return true;
}

}  // namespace exportd::observe
