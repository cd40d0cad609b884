#pragma once

#include <csignal>
#include <memory>
#include <pthread.h>
#include <vector>

namespace exportd::observe {

// Asks another thread, by a real-time signal, where it is. The answer is taken later: nobody
// waits, and a thread that does not come back from the kernel never answers. One at a time in
// the process. Members are for one thread; it is made and destroyed on the watched one, which must
// not block the signal.
class stack_sampler {
public:
    explicit stack_sampler(pthread_t watched);
    ~stack_sampler();
    stack_sampler(const stack_sampler&) = delete;
    stack_sampler& operator=(const stack_sampler&) = delete;

    // False when the thread can't be asked, or has not answered yet.
    bool ask() noexcept;

    // The answer, once: addresses of code, the innermost first. Empty until it is there.
    std::vector<void*> take();

private:
    struct sample;
    static void answer(int, siginfo_t* info, void*) noexcept;

    pthread_t watched_;
    bool asked_ = false;
    std::unique_ptr<sample> sample_;
};

}  // namespace exportd::observe
