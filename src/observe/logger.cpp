#include <exportd/observe/line_writer.hpp>
#include <exportd/observe/logger.hpp>

#include <spdlog/async.h>
#include <spdlog/async_logger.h>
#include <spdlog/details/null_mutex.h>
#include <spdlog/sinks/base_sink.h>

#include <csignal>
#include <string>

namespace exportd::observe {

namespace {

using namespace std::chrono_literals;

// spdlog's pool joins its thread for as long as the thread writes; this bounds the writing.
constexpr auto shutdown_grace = 1s;

spdlog::level::level_enum spdlog_level(level l) {
    switch (l) {
        case level::debug:
            return spdlog::level::debug;
        case level::info:
            return spdlog::level::info;
        case level::warning:
            return spdlog::level::warn;
        case level::error:
            return spdlog::level::err;
    }
    return spdlog::level::err;
}

// A write to a closed pipe has to fail in this thread and not to end the process; all other
// signals are for the loop.
void block_signals() {
    sigset_t all;
    sigfillset(&all);
    for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT})
        sigdelset(&all, fault);
    pthread_sigmask(SIG_BLOCK, &all, nullptr);
}

// Runs on the pool's one thread: writes the lines, which come formatted, and tells of drops.
class line_sink final : public spdlog::sinks::base_sink<spdlog::details::null_mutex> {
public:
    line_sink(const logger_options& options, spdlog::details::thread_pool& pool)
        : options_{options}, pool_{pool}, writer_{options.fd} {}

    line_writer& writer() noexcept { return writer_; }
    const line_writer& writer() const noexcept { return writer_; }

protected:
    void sink_it_(const spdlog::details::log_msg& message) override {
        line_.assign(message.payload.data(), message.payload.size());
        line_ += '\n';
        const bool through = writer_.write(line_);
        if (through && dropped() > told_ && (pool_.queue_size() == 0 || due())) tell_drops();
    }

    void flush_() override {
        if (dropped() > told_) tell_drops();
    }

private:
    std::uint64_t dropped() { return pool_.overrun_counter() + writer_.lost(); }
    bool due() const { return line_writer::clock::now() - told_at_ >= 1s; }

    void tell_drops() {
        const std::uint64_t total = dropped();
        const event e = event{level::warning, "log_dropped"}.with("n", total - told_);
        if (!writer_.write(format_event(e, options_.now(), options_.format) + '\n')) return;
        told_ = total;
        told_at_ = line_writer::clock::now();
    }

    const logger_options& options_;
    spdlog::details::thread_pool& pool_;
    line_writer writer_;
    std::string line_;
    std::uint64_t told_ = 0;
    line_writer::clock::time_point told_at_{};
};

}  // namespace

class logger::backend {
public:
    explicit backend(const logger_options& options)
        : pool_{std::make_shared<spdlog::details::thread_pool>(options.queue, 1, block_signals)},
          sink_{std::make_shared<line_sink>(options, *pool_)},
          log_{std::make_shared<spdlog::async_logger>(
              "exportd", sink_, pool_, spdlog::async_overflow_policy::overrun_oldest)} {
        log_->set_level(spdlog::level::trace);
    }

    ~backend() {
        sink_->writer().give_up_at(line_writer::clock::now() + shutdown_grace);
        log_->flush();
        pool_.reset();
    }

    backend(const backend&) = delete;
    backend& operator=(const backend&) = delete;

    void write(level l, const std::string& line) {
        log_->log(spdlog_level(l), spdlog::string_view_t{line.data(), line.size()});
    }

    line_writer& lines() noexcept { return sink_->writer(); }

    std::uint64_t dropped() const { return pool_->overrun_counter() + sink_->writer().lost(); }

private:
    std::shared_ptr<spdlog::details::thread_pool> pool_;
    std::shared_ptr<line_sink> sink_;
    std::shared_ptr<spdlog::async_logger> log_;
};

logger::logger(logger_options options)
    : options_{std::move(options)}, backend_{std::make_unique<backend>(options_)} {
}

logger::~logger() = default;

void logger::observe(const event& e) noexcept {
    if (e.severity() < options_.least) return;
    try {
        backend_->write(e.severity(), format_event(e, options_.now(), options_.format));
    } catch (...) {
        // Out of memory: the line is lost, the caller must not be.
    }
}

line_writer& logger::lines() noexcept {
    return backend_->lines();
}

std::uint64_t logger::dropped() const noexcept {
    return backend_->dropped();
}

}  // namespace exportd::observe
