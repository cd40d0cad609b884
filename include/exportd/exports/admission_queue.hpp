#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace exportd::exports {

// Who may run an export now and who runs next; knows neither clock nor loop. Not thread-safe.
//
// A place that becomes free goes to the client that has the fewest exports running, and among
// equals to the one that has waited longest: a client with many requests delays its own, not
// those of others.
class admission_queue {
public:
    using place = std::uint64_t;  // of one that waits; each is used once

    enum class answer { runs, waits, too_many_for_client, queue_full };

    // `most_running` and `most_for_client` (running and waiting together) at least 1;
    // `most_waiting` may be 0.
    admission_queue(std::size_t most_running, std::size_t most_waiting,
                    std::size_t most_for_client);

    struct entered {
        answer what = answer::queue_full;
        place at = 0;  // if it waits
    };
    // `client` is what its exports are counted under: an identity or an address.
    entered enter(const std::string& client);

    // An export of this client ended. The place that runs now in its stead, if any waits.
    std::optional<place> leave(const std::string& client);

    // One that waits does so no more.
    void give_up(place at);

    std::size_t running() const noexcept { return running_; }
    std::size_t waiting() const noexcept { return queue_.size(); }

private:
    struct counts {
        std::size_t running = 0;
        std::size_t waiting = 0;
    };
    struct waiter {
        place at;
        std::string client;
    };

    std::vector<waiter>::iterator next();
    void forget_if_idle(const std::string& client);

    std::size_t most_running_;
    std::size_t most_waiting_;
    std::size_t most_for_client_;
    std::size_t running_ = 0;
    place last_place_ = 0;
    std::vector<waiter> queue_;  // in the order of arrival
    std::map<std::string, counts, std::less<>> clients_;
};

}  // namespace exportd::exports
