#pragma once

#include <exportd/observe/turn_meter.hpp>

#include <boost/asio/prefer.hpp>
#include <boost/asio/query.hpp>
#include <boost/asio/require.hpp>

#include <cstdint>
#include <type_traits>
#include <utility>

namespace exportd::bench {

// What a loop's metered_executor writes to. Outlives everything that runs on it; for the loop's
// thread only.
struct metered_turns {
    observe::turn_meter meter;
    unsigned depth = 0;
    std::uint64_t executions = 0;  // with those inside others, which are no turns of their own
};

// The rival of asio_tracking.hpp: an executor that puts a begin and an end around each function
// that it is given. Fits into any_io_executor; properties are those of `Inner`, an executor of a
// loop that one thread runs.
template <typename Inner>
class metered_executor {
public:
    metered_executor(Inner inner, metered_turns& turns) noexcept
        : inner_{std::move(inner)}, turns_{&turns} {}

    template <typename Property>
    requires boost::asio::can_query_v<const Inner&, Property>
    typename boost::asio::query_result<const Inner&, Property>::type query(const Property& p) const
        noexcept(boost::asio::is_nothrow_query_v<const Inner&, Property>) {
        return boost::asio::query(inner_, p);
    }

    template <typename Property>
    requires boost::asio::can_require_v<const Inner&, Property>
    auto require(const Property& p) const
        noexcept(boost::asio::is_nothrow_require_v<const Inner&, Property>) {
        return same(boost::asio::require(inner_, p));
    }

    template <typename Property>
    requires boost::asio::can_prefer_v<const Inner&, Property>
    auto prefer(const Property& p) const
        noexcept(boost::asio::is_nothrow_prefer_v<const Inner&, Property>) {
        return same(boost::asio::prefer(inner_, p));
    }

    template <typename Function>
    void execute(Function&& f) const {
        inner_.execute(metered<std::decay_t<Function>>{std::forward<Function>(f), turns_});
    }

    friend bool operator==(const metered_executor& a, const metered_executor& b) noexcept {
        return a.turns_ == b.turns_ && a.inner_ == b.inner_;
    }
    friend bool operator!=(const metered_executor& a, const metered_executor& b) noexcept {
        return !(a == b);
    }

private:
    // Ends the turn for functions that throw, too. The depth is kept here, so that a function
    // inside another one does not read the clock.
    class turn {
    public:
        explicit turn(metered_turns& t) noexcept : turns_{t} {
            ++turns_.executions;
            if (turns_.depth++ == 0) turns_.meter.begin();
        }
        ~turn() {
            if (--turns_.depth == 0) turns_.meter.end();
        }
        turn(const turn&) = delete;
        turn& operator=(const turn&) = delete;

    private:
        metered_turns& turns_;
    };

    template <typename Function>
    struct metered {
        Function function;
        metered_turns* turns;

        void operator()() {
            const turn here{*turns};
            std::move(function)();
        }
    };

    template <typename Other>
    metered_executor<std::decay_t<Other>> same(Other&& inner) const noexcept {
        return {std::forward<Other>(inner), *turns_};
    }

    Inner inner_;
    metered_turns* turns_;
};

}  // namespace exportd::bench
