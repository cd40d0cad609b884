#pragma once

#include <exportd/exports/admission_queue.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace exportd::exports {

struct admission_limits {
    std::size_t most_running = 16;         // of all clients, at least 1
    std::size_t most_waiting = 64;         // of all clients
    std::size_t most_for_client = 8;       // running and waiting, at least 1
    std::chrono::milliseconds wait{5000};  // longest in the queue
};

// Bounds how many exports run, in all and for one client, and lets a bounded number wait for
// their turn; see admission_queue for whose it is. Loop thread only; outlives its tickets and
// queued ones.
class admission {
public:
    enum class refusal { too_many_for_client, queue_full, queue_timeout, closing };

    // The right to run one export; given back by the destructor.
    class ticket {
    public:
        ticket(ticket&& other) noexcept : owner_{other.owner_}, client_{std::move(other.client_)} {
            other.owner_ = nullptr;
        }
        ticket& operator=(ticket&& other) noexcept {
            std::swap(owner_, other.owner_);
            std::swap(client_, other.client_);
            return *this;
        }
        ~ticket();

    private:
        friend class admission;
        ticket(admission& owner, std::string client) : owner_{&owner}, client_{std::move(client)} {}
        admission* owner_;
        std::string client_;
    };

    // A place in the queue; given up by the destructor.
    class queued;

    using decision = std::variant<ticket, refusal, std::unique_ptr<queued>>;

    // `changed` is called whenever running() or waiting() has changed.
    admission(
        boost::asio::any_io_executor loop, admission_limits limits,
        std::function<void()> changed = [] {});
    ~admission();
    admission(const admission&) = delete;
    admission& operator=(const admission&) = delete;

    // `client` is what its exports are counted under: an identity or an address.
    decision enter(std::string client);

    // Nobody waits any longer: who is in the queue is refused, and who comes now runs or is
    // refused.
    void close();

    std::size_t running() const noexcept { return queue_.running(); }
    std::size_t waiting() const noexcept { return queue_.waiting(); }

private:
    void leave(const std::string& client);

    boost::asio::any_io_executor loop_;
    admission_limits limits_;
    std::function<void()> changed_;
    admission_queue queue_;
    std::map<admission_queue::place, queued*> places_;
    bool closed_ = false;
};

class admission::queued {
public:
    ~queued();
    queued(const queued&) = delete;
    queued& operator=(const queued&) = delete;

    // Waits for the turn: a ticket, or queue_timeout or closing. Once. Throws
    // boost::system::system_error with operation_aborted when the waiting coroutine is cancelled.
    boost::asio::awaitable<std::variant<ticket, refusal>> wait();

private:
    friend class admission;
    struct timer;
    queued(admission& owner, std::string client, admission_queue::place at);
    void wake();

    admission& owner_;
    std::string client_;
    admission_queue::place at_;
    std::unique_ptr<timer> timer_;
    bool granted_ = false;
};

}  // namespace exportd::exports
