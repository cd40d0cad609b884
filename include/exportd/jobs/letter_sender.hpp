#pragma once

#include <exportd/jobs/control.hpp>
#include <exportd/jobs/mailer.hpp>
#include <exportd/observe/event.hpp>
#include <exportd/work/worker_pool.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <functional>
#include <string>

namespace exportd::jobs {

struct sender_options {
    std::chrono::milliseconds poll{2'000};          // between two looks for letters
    std::chrono::milliseconds hold{300'000};        // longer than one delivery takes
    std::chrono::milliseconds first_pause{10'000};  // after the first failure; then doubles
    std::chrono::milliseconds longest_pause{600'000};
    int most_attempts = 150;  // a day of pauses
};

// Writes and sends the letters about jobs that have ended, one at a time on a thread of its own:
// a mail server that is silent holds up nothing else. Several replicas share the work. Loop
// thread only.
class letter_sender {
public:
    // Makes the letter about a job. `token` is the secret of its link; empty for a job without
    // a file.
    using compose_letter = std::function<letter(const job& j, const std::string& token)>;

    // The references outlive it.
    letter_sender(boost::asio::any_io_executor loop, control& table, mailer& to,
                  compose_letter compose, sender_options options, observe::observer& told);

    void start();
    void wake();

    // Sends nothing more. A delivery that runs is broken off.
    void stop();

private:
    boost::asio::awaitable<void> send_all();
    boost::asio::awaitable<bool> send_one();
    boost::asio::awaitable<letter> write(job j);
    boost::asio::awaitable<void> settle(due_letter due, delivery_result end);

    boost::asio::any_io_executor loop_;
    control& table_;
    mailer& to_;
    compose_letter compose_;
    sender_options options_;
    observe::observer& told_;
    boost::asio::steady_timer next_;
    work::worker_pool thread_;
    bool stopping_ = false;
};

}  // namespace exportd::jobs
