#pragma once

namespace exportd::http {

// How far the service has come on its way out. Loop thread only.
class lifecycle {
public:
    bool draining() const noexcept { return draining_; }  // nothing new is begun
    bool cutting() const noexcept { return cutting_; }    // what still runs is ended

    void drain() noexcept { draining_ = true; }
    void cut() noexcept { draining_ = cutting_ = true; }

private:
    bool draining_ = false;
    bool cutting_ = false;
};

}  // namespace exportd::http
