#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>

namespace exportd::exports {

// Bounds how many exports run, in all and for one client. Loop thread only.
class admission {
public:
    // Both at least 1.
    admission(std::size_t max_exports, std::size_t exports_per_client);

    enum class refusal { too_many_for_client, too_many_in_all };

    // The right to run one export; given back by the destructor. The admission outlives it.
    class ticket {
    public:
        ticket(ticket&& other) noexcept : owner_{other.owner_}, client_{std::move(other.client_)} {
            other.owner_ = nullptr;
        }
        ticket& operator=(ticket&&) = delete;
        ~ticket();

    private:
        friend class admission;
        ticket(admission& owner, std::string client) : owner_{&owner}, client_{std::move(client)} {}
        admission* owner_;
        std::string client_;
    };

    struct decision {
        std::optional<ticket> granted;
        refusal reason = refusal::too_many_in_all;  // when nothing is granted
    };

    // `client` is what its exports are counted under: an identity or an address.
    decision enter(std::string client);

    std::size_t running() const noexcept { return running_; }

private:
    std::size_t max_exports_;
    std::size_t exports_per_client_;
    std::size_t running_ = 0;
    std::map<std::string, std::size_t, std::less<>> by_client_;
};

}  // namespace exportd::exports
