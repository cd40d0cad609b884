#include <exportd/jobs/letter_sender.hpp>
#include <exportd/jobs/link_token.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>

namespace exportd::jobs {
namespace asio = boost::asio;
using observe::event;
using observe::level;

namespace {

// Who takes turns on the control thread with those who ask over HTTP.
const std::string own_turns = "the sender";

}  // namespace

letter_sender::letter_sender(asio::any_io_executor loop, control& table, mailer& to,
                             compose_letter compose, sender_options options,
                             observe::observer& told)
    : loop_{loop},
      table_{table},
      to_{to},
      compose_{std::move(compose)},
      options_{options},
      told_{told},
      next_{loop},
      thread_{work::one_thread(1)} {
}

void letter_sender::start() {
    asio::co_spawn(loop_, send_all(), asio::detached);
}

void letter_sender::wake() {
    next_.cancel();
}

void letter_sender::stop() {
    stopping_ = true;
    next_.cancel();
    thread_.close();
}

asio::awaitable<void> letter_sender::send_all() {
    while (!stopping_) {
        bool sent = false;
        // Without the table nothing can be sent; the runner tells about that.
        try {
            sent = co_await send_one();
        } catch (const std::exception&) {
        }
        if (sent || stopping_) continue;
        next_.expires_after(options_.poll);
        co_await next_.async_wait(asio::as_tuple(asio::use_awaitable));
    }
}

// Returns whether there was one.
asio::awaitable<bool> letter_sender::send_one() {
    const auto claim = [hold = options_.hold](job_store& s) { return s.claim_letter(hold); };
    const auto due = co_await table_.ask_for_service(own_turns, claim);
    if (!due) co_return false;
    if (due->job.state == job_state::expired) {
        // The file went before anybody could be told of it.
        delivery_result late;
        late.what = delivery::refused;
        late.cause = "the file has expired";
        co_await settle(*due, std::move(late));
        co_return true;
    }
    auto text = co_await write(due->job);
    auto deliver = [this, text](const std::stop_token& stop) { return to_.send(text, stop); };
    delivery_result end;
    try {
        end = co_await thread_.run(work::lane::brief, own_turns, std::move(deliver));
    } catch (const boost::system::system_error&) {
        // Broken off because the process ends: another one sends it once the hold has passed.
        co_return false;
    }
    co_await settle(*due, std::move(end));
    co_return true;
}

// Each try has a link of its own, and all of them work: an earlier letter may have arrived although
// the server's answer did not.
asio::awaitable<letter> letter_sender::write(job j) {
    if (j.state != job_state::complete) co_return compose_(j, {});
    const auto token = make_link_token();
    const auto add = [j, digest = digest_of(token)](job_store& s) { s.add_link(j, digest); };
    co_await table_.ask_for_service(own_turns, add);
    co_return compose_(j, token);
}

asio::awaitable<void> letter_sender::settle(due_letter due, delivery_result end) {
    const bool again = end.what == delivery::temporary && due.attempt < options_.most_attempts;
    const auto pause = std::min<std::chrono::milliseconds>(
        options_.first_pause * (1 << std::min(due.attempt - 1, 16)), options_.longest_pause);
    const auto record = [due, again, pause, what = end.what](job_store& s) {
        if (what == delivery::sent)
            s.letter_sent(due.job);
        else if (again)
            s.letter_later(due.job, pause);
        else
            s.letter_failed(due.job);
    };
    // A letter that was sent and is not recorded would be sent again once its hold has passed.
    const auto until = std::chrono::steady_clock::now() + options_.hold / 2;
    bool recorded = false;
    while (!recorded) {
        try {
            co_await table_.ask_for_service(own_turns, record);
            recorded = true;
        } catch (const std::exception&) {
            if (stopping_ || std::chrono::steady_clock::now() > until) throw;
        }
        if (recorded) break;
        next_.expires_after(std::chrono::seconds{1});
        co_await next_.async_wait(asio::as_tuple(asio::use_awaitable));
    }
    const bool sent = end.what == delivery::sent;
    event e{sent ? level::info : level::warning, "letter_finished"};
    e.with("job", due.job.id)
        .with("outcome", sent    ? "sent"
                         : again ? "retry"
                                 : "failed")
        .with("attempt", due.attempt);
    if (end.reply != 0) e.with("reply", end.reply);
    if (!end.cause.empty()) e.with("cause", end.cause);
    if (again) e.with("retry_ms", pause.count());
    told_.observe(e);
}

}  // namespace exportd::jobs
