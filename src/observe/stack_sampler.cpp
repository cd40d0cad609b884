#include <exportd/observe/stack_sampler.hpp>

#include <array>
#include <atomic>
#include <cerrno>
#include <execinfo.h>
#include <unistd.h>

namespace exportd::observe {
namespace {

// The handler itself and the kernel's return from it.
constexpr std::size_t own_frames = 2;

int signal_number() {
    return SIGRTMIN + 3;
}

}  // namespace

struct stack_sampler::sample {
    std::array<void*, 64> frames{};
    int count = 0;
    std::atomic<bool> taken{false};
};

// Runs on the watched thread, in the middle of anything: only what is async-signal-safe.
void stack_sampler::answer(int, siginfo_t* info, void*) noexcept {
    if (info->si_code != SI_QUEUE || info->si_pid != getpid()) return;
    const int before = errno;
    auto& s = *static_cast<sample*>(info->si_value.sival_ptr);
    s.count = backtrace(s.frames.data(), static_cast<int>(s.frames.size()));
    s.taken.store(true, std::memory_order_release);
    errno = before;
}

stack_sampler::stack_sampler(pthread_t watched)
    : watched_{watched}, sample_{std::make_unique<sample>()} {
    // The first call loads a library, which no handler may do.
    backtrace(sample_->frames.data(), 1);
    struct sigaction action {};
    action.sa_sigaction = &stack_sampler::answer;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaction(signal_number(), &action, nullptr);
}

stack_sampler::~stack_sampler() {
    std::signal(signal_number(), SIG_IGN);
}

bool stack_sampler::ask() noexcept {
    if (asked_) return false;
    sigval where{};
    where.sival_ptr = sample_.get();
    asked_ = pthread_sigqueue(watched_, signal_number(), where) == 0;
    return asked_;
}

std::vector<void*> stack_sampler::take() {
    if (!asked_ || !sample_->taken.exchange(false, std::memory_order_acquire)) return {};
    asked_ = false;
    const auto count = static_cast<std::size_t>(sample_->count);
    if (count <= own_frames) return {};
    // Not in braces: two pointers would be taken for a list of frames.
    void* const* begin = sample_->frames.data();
    return std::vector<void*>(begin + own_frames, begin + count);
}

}  // namespace exportd::observe
