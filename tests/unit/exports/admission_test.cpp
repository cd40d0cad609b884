#include <exportd/exports/admission.hpp>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/system/system_error.hpp>

#include "catch.hpp"
#include <string>
#include <vector>

namespace asio = boost::asio;
using exportd::exports::admission;

namespace {

using queued = std::unique_ptr<admission::queued>;

admission::ticket run_now(admission& gate, const std::string& client) {
    return std::get<admission::ticket>(gate.enter(client));
}

// Waits and notes how that ended; a ticket is kept.
asio::awaitable<void> wait(queued place, std::string name, std::vector<std::string>& ends,
                           std::vector<admission::ticket>& kept) {
    auto end = co_await place->wait();
    if (auto* ticket = std::get_if<admission::ticket>(&end)) {
        ends.push_back(name + " runs");
        kept.push_back(std::move(*ticket));
    } else if (std::get<admission::refusal>(end) == admission::refusal::closing) {
        ends.push_back(name + " closing");
    } else {
        ends.push_back(name + " timeout");
    }
}

struct fixture {
    asio::io_context loop;
    std::vector<std::string> ends;
    std::vector<admission::ticket> kept;

    void spawn(admission& gate, const std::string& client) {
        asio::co_spawn(loop, wait(std::get<queued>(gate.enter(client)), client, ends, kept),
                       asio::detached);
        loop.poll();
    }
};

}  // namespace

TEST_CASE("a ticket gives its place back once", "[exports]") {
    asio::io_context loop;
    admission gate{loop.get_executor(), {1, 0, 1, {}}};
    {
        auto first = run_now(gate, "a");
        auto moved = std::move(first);
        CHECK(gate.running() == 1);
        CHECK(std::get<admission::refusal>(gate.enter("b")) == admission::refusal::queue_full);
        CHECK(std::get<admission::refusal>(gate.enter("a")) ==
              admission::refusal::too_many_for_client);
    }
    CHECK(gate.running() == 0);
}

TEST_CASE("who waits runs when a place becomes free", "[exports]") {
    fixture f;
    admission gate{f.loop.get_executor(), {1, 8, 8, std::chrono::hours{1}}};
    {
        auto first = run_now(gate, "a");
        f.spawn(gate, "b");
        f.spawn(gate, "c");
        CHECK(gate.waiting() == 2);
        CHECK(f.ends.empty());
    }
    f.loop.poll();
    CHECK(f.ends == std::vector<std::string>{"b runs"});
    CHECK(gate.running() == 1);
    f.kept.clear();
    f.loop.poll();
    CHECK(f.ends == std::vector<std::string>{"b runs", "c runs"});
    f.kept.clear();
    CHECK(gate.running() == 0);
    CHECK(gate.waiting() == 0);
}

TEST_CASE("a wait ends at its deadline", "[exports]") {
    fixture f;
    admission gate{f.loop.get_executor(), {1, 8, 8, std::chrono::milliseconds{1}}};
    auto first = run_now(gate, "a");
    asio::co_spawn(f.loop, wait(std::get<queued>(gate.enter("b")), "b", f.ends, f.kept),
                   asio::detached);
    f.loop.run();
    CHECK(f.ends == std::vector<std::string>{"b timeout"});
    CHECK(gate.waiting() == 0);
    CHECK(gate.running() == 1);
}

TEST_CASE("closing refuses who waits and lets run who runs", "[exports]") {
    fixture f;
    admission gate{f.loop.get_executor(), {1, 8, 8, std::chrono::hours{1}}};
    auto first = run_now(gate, "a");
    f.spawn(gate, "b");
    gate.close();
    f.loop.poll();
    CHECK(f.ends == std::vector<std::string>{"b closing"});
    CHECK(std::get<admission::refusal>(gate.enter("c")) == admission::refusal::closing);
    CHECK(gate.running() == 1);
    CHECK(gate.waiting() == 0);
}

TEST_CASE("a cancelled wait gives its place up", "[exports]") {
    fixture f;
    admission gate{f.loop.get_executor(), {1, 8, 8, std::chrono::hours{1}}};
    auto first = run_now(gate, "a");
    asio::cancellation_signal cancel;
    boost::system::error_code why;
    const auto note = [&](std::exception_ptr e) {
        try {
            if (e) std::rethrow_exception(e);
        } catch (const boost::system::system_error& error) {
            why = error.code();
        }
    };
    asio::co_spawn(f.loop, wait(std::get<queued>(gate.enter("b")), "b", f.ends, f.kept),
                   asio::bind_cancellation_slot(cancel.slot(), note));
    f.loop.poll();
    REQUIRE(gate.waiting() == 1);
    cancel.emit(asio::cancellation_type::terminal);
    f.loop.poll();
    CHECK(why == asio::error::operation_aborted);
    CHECK(gate.waiting() == 0);
}

TEST_CASE("a turn that nobody takes any more goes to the next", "[exports]") {
    fixture f;
    admission gate{f.loop.get_executor(), {1, 8, 8, std::chrono::hours{1}}};
    auto second = std::optional<queued>{};
    {
        auto first = run_now(gate, "a");
        second = std::get<queued>(gate.enter("b"));
        f.spawn(gate, "c");
    }
    CHECK(gate.running() == 1);
    second.reset();
    f.loop.poll();
    CHECK(f.ends == std::vector<std::string>{"c runs"});
    f.kept.clear();
    CHECK(gate.running() == 0);
}
