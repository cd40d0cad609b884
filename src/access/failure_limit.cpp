#include <exportd/access/failure_limit.hpp>

#include <boost/asio/ip/address.hpp>

#include <algorithm>

namespace exportd::access {
namespace {

constexpr int free_failures = 5;
constexpr int most_doublings = 3;
constexpr int most_waiting = 4;
constexpr std::chrono::minutes memory{10};
constexpr std::size_t most_addresses = 10'000;

// One household or one rented machine has a whole /64 (RFC 6177).
std::string key_of(const std::string& address) {
    boost::system::error_code ec;
    const auto a = boost::asio::ip::make_address(address, ec);
    if (ec || a.is_v4() || a.to_v6().is_v4_mapped()) return address;
    auto bytes = a.to_v6().to_bytes();
    std::fill(bytes.begin() + 8, bytes.end(), static_cast<unsigned char>(0));
    return boost::asio::ip::address_v6{bytes}.to_string();
}

}  // namespace

std::chrono::milliseconds failure_limit::next_delay(const std::string& address,
                                                    clock::time_point now) {
    make_room(now);
    auto& r = seen_[key_of(address)];
    if (now - r.last > memory) r.failures = 0;
    r.last = now;
    ++r.failures;
    if (r.failures <= free_failures) return std::chrono::milliseconds{0};
    ++r.waiting;
    const int doublings = std::min(r.failures - free_failures - 1, most_doublings);
    return std::chrono::seconds{1 << doublings};
}

void failure_limit::delay_over(const std::string& address) noexcept {
    const auto found = seen_.find(key_of(address));
    if (found != seen_.end() && found->second.waiting > 0) --found->second.waiting;
}

bool failure_limit::crowded(const std::string& address) const {
    const auto found = seen_.find(key_of(address));
    return found != seen_.end() && found->second.waiting >= most_waiting;
}

void failure_limit::make_room(clock::time_point now) {
    if (seen_.size() < most_addresses) return;
    std::erase_if(seen_, [now](const auto& e) {
        return e.second.waiting == 0 && now - e.second.last > memory;
    });
    if (seen_.size() < most_addresses) return;
    seen_.erase(std::min_element(seen_.begin(), seen_.end(), [](const auto& a, const auto& b) {
        return a.second.last < b.second.last;
    }));
}

}  // namespace exportd::access
