#include <exportd/pg/connect.hpp>
#include <exportd/pg/pool.hpp>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <utility>

namespace exportd::pg {

namespace asio = boost::asio;
using boost::system::error_code;
using boost::system::system_error;
using clock = std::chrono::steady_clock;

lease& lease::operator=(lease&& other) noexcept {
    if (this == &other) return *this;
    give_back();
    owner_ = std::move(other.owner_);
    held_ = std::move(other.held_);
    complete_ = other.complete_;
    silent_ = other.silent_;
    return *this;
}

void lease::give_back() noexcept {
    if (!held_) return;
    const auto owner = owner_;
    owner->take_back(std::move(*this));
}

// What waits in acquire(): lives in its coroutine's frame.
struct pool::request {
    explicit request(const asio::any_io_executor& executor, clock::time_point deadline)
        : wake(executor, deadline) {}

    asio::steady_timer wake;  // cancelled when there is an answer
    lease granted;
    error_code refused;
};

// Takes the request out of the pool however its coroutine ends.
struct pool::queue_place {
    pool& owner;
    pool_node::waiter id;
    ~queue_place() {
        owner.node_.forget(id);
        owner.requests_.erase(id);
    }
};

pool::pool(asio::any_io_executor executor, settings s, resolver& names, canceller& cancels,
           observer& events)
    : executor_(executor),
      settings_(std::move(s)),
      info_(settings_.url),
      names_(names),
      cancels_(cancels),
      events_(events),
      node_({settings_.size, settings_.first_backoff, settings_.longest_backoff}),
      retry_(executor),
      drained_(executor, clock::time_point::max()),
      jitter_(std::random_device{}()) {
}

void pool::start() {
    node_.want(1);
    advance();
}

asio::awaitable<lease> pool::acquire() {
    const auto self = shared_from_this();
    const auto now = clock::now();
    const auto turn = node_.acquire(now);
    switch (turn.what) {
        case pool_node::answer::lease_idle: {
            auto c = std::move(idle_.back());
            idle_.pop_back();
            co_return lend(std::move(c));
        }
        case pool_node::answer::unavailable:
            throw server_error{errc::database_unavailable, {}, "the last connect failed"};
        case pool_node::answer::shutting_down:
            throw system_error{make_error_code(errc::shutting_down)};
        case pool_node::answer::wait:
            break;
    }
    request mine{executor_, now + settings_.pool_wait};
    const queue_place place{*this, turn.id};
    requests_.emplace(turn.id, &mine);
    advance();
    error_code woken;
    co_await mine.wake.async_wait(asio::redirect_error(asio::use_awaitable, woken));
    node_.forget(turn.id);
    events_.pool_changed(stats());
    // A lease that arrives together with a cancellation goes back with `mine`.
    const auto state = co_await asio::this_coro::cancellation_state;
    if (state.cancelled() != asio::cancellation_type::none) {
        throw system_error{asio::error::operation_aborted};
    }
    if (mine.granted) co_return std::move(mine.granted);
    if (mine.refused) throw system_error{mine.refused};
    // Nobody holds a connection that could have become free, so it is the server that is slow.
    const bool none_open = node_.idle() + node_.leased() == 0;
    throw system_error{
        make_error_code(none_open ? errc::database_unavailable : errc::pool_exhausted)};
}

lease pool::lend(std::unique_ptr<connection> c) {
    c->unwatch();
    c->mark_leased();
    events_.pool_changed(stats());
    return lease{shared_from_this(), std::move(c)};
}

void pool::put(std::unique_ptr<connection> c, pool_node::placed where) {
    if (where.where == pool_node::place::idle) return put_idle(std::move(c));
    if (where.where == pool_node::place::close) return c.reset();
    auto& waiting = *requests_.at(where.id);
    waiting.granted = lend(std::move(c));
    waiting.wake.cancel();
}

void pool::put_idle(std::unique_ptr<connection> c) {
    auto* const raw = c.get();
    idle_.push_back(std::move(c));
    raw->watch([weak = weak_from_this(), raw] {
        if (const auto self = weak.lock()) self->on_idle_lost(raw);
    });
}

void pool::on_idle_lost(connection* c) {
    const auto at =
        std::find_if(idle_.begin(), idle_.end(), [c](const auto& i) { return i.get() == c; });
    if (at == idle_.end()) return;
    events_.connection_lost(c->backend_pid(), c->last_error());
    idle_.erase(at);
    node_.idle_lost();
    advance();
}

void pool::drop_idle() {
    for (const auto& c : idle_) {
        events_.connection_lost(c->backend_pid(), "another connection was stale");
        node_.idle_lost();
    }
    idle_.clear();
    advance();
}

// Does what the state asks for: connects that are due, the next retry, the end of shutdown.
void pool::advance() {
    for (auto n = node_.start_connects(clock::now()); n > 0; --n) {
        connects_.emplace_back();
        ++open_coroutines_;
        const auto slot = connects_.back().slot();
        asio::co_spawn(
            executor_, open_one(shared_from_this()),
            asio::bind_cancellation_slot(
                slot, [weak = weak_from_this(), signal = &connects_.back()](std::exception_ptr) {
                    if (const auto self = weak.lock()) {
                        self->connects_.remove_if([signal](auto& s) { return &s == signal; });
                    }
                }));
    }
    if (const auto at = node_.retry_at()) {
        retry_.expires_at(*at);
        retry_.async_wait([weak = weak_from_this()](error_code ec) {
            const auto self = weak.lock();
            if (self && !ec) self->advance();
        });
    }
    events_.pool_changed(stats());
    if (node_.shut_down() && open_coroutines_ == 0 && node_.leased() == 0) drained_.cancel();
}

asio::awaitable<void> pool::open_one(std::shared_ptr<pool> self) {
    const auto began = clock::now();
    std::unique_ptr<connection> opened;
    std::string reason = "cancelled";
    try {
        opened = co_await connect(
            self->info_, self->names_,
            self->info_.connect_timeout().value_or(self->settings_.connect_timeout), self->events_);
    } catch (const std::exception& e) {
        reason = e.what();
    }
    --self->open_coroutines_;
    if (opened) {
        self->events_.connection_opened(
            opened->backend_pid(),
            std::chrono::duration_cast<std::chrono::milliseconds>(clock::now() - began));
        self->put(std::move(opened), self->node_.connected());
    } else {
        self->refused(reason);
    }
    self->advance();
}

void pool::refused(const std::string& reason) {
    const double share = std::uniform_real_distribution<double>{0.0, 1.0}(jitter_);
    const auto failed = node_.connect_failed(clock::now(), share);
    if (!node_.shut_down()) events_.backing_off(node_.backoff(), reason);
    fail(failed, errc::database_unavailable);
}

void pool::fail(const std::vector<pool_node::waiter>& ids, errc error) {
    for (const auto id : ids) {
        auto& waiting = *requests_.at(id);
        waiting.refused = make_error_code(error);
        waiting.wake.cancel();
    }
}

void pool::take_back(lease ended) noexcept {
    try {
        // Nothing ran on it: a waiter that was cancelled, or a query that was refused here.
        if (ended->is_open() && ended->outstanding() == 0 && !ended->in_transaction()) {
            put(std::move(ended.held_), node_.returned());
            return advance();
        }
        ++open_coroutines_;
        asio::co_spawn(executor_, settle(shared_from_this(), std::move(ended)), asio::detached);
    } catch (...) {
        ended.held_.reset();
        node_.dropped();
    }
}

namespace {

// Ends the transaction and waits for the server to be done; false when it is not in time.
asio::awaitable<bool> end_transaction(connection* c, bool commit, patience p) {
    try {
        c->send(commit ? "COMMIT" : "ROLLBACK");
        c->sync();
        co_await c->flush(p);
        co_await c->drain(p);
        co_return c->is_open() && !c->in_transaction();
    } catch (const std::exception&) {
        co_return false;
    }
}

asio::awaitable<void> wait_for_end(connection* c, patience p) {
    try {
        co_await c->drain(p);
    } catch (const std::exception&) {
        // It is closed next, whatever happened.
    }
}

}  // namespace

asio::awaitable<void> pool::settle(std::shared_ptr<pool> self, lease ended) {
    auto c = std::move(ended.held_);
    bool clean = false;
    if (c->is_open() && !ended.silent_) {
        clean = co_await end_transaction(c.get(), ended.complete_,
                                         {{}, clock::now() + self->settings_.grace});
    }
    if (!clean && c->is_open()) {
        self->cancels_.cancel(c->make_cancel());
        self->events_.query_cancelled(c->backend_pid());
        co_await wait_for_end(c.get(), {{}, clock::now() + self->settings_.cancel_wait});
    }
    --self->open_coroutines_;
    if (clean) {
        self->put(std::move(c), self->node_.returned());
    } else {
        self->events_.connection_lost(c->backend_pid(), c->last_error());
        c.reset();
        self->node_.dropped();
    }
    self->advance();
}

asio::awaitable<void> pool::shutdown() {
    const auto self = shared_from_this();
    fail(node_.shut(), errc::shutting_down);
    idle_.clear();
    retry_.cancel();
    for (auto& signal : connects_)
        signal.emit(asio::cancellation_type::terminal);
    while (open_coroutines_ > 0 || node_.leased() > 0) {
        error_code woken;
        co_await drained_.async_wait(asio::redirect_error(asio::use_awaitable, woken));
    }
}

pool::counts pool::stats() const noexcept {
    return {node_.size(), node_.idle(), node_.leased(), node_.connecting(), node_.waiting()};
}

}  // namespace exportd::pg
