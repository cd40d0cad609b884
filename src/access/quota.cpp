#include <exportd/access/quota.hpp>

#include <algorithm>

namespace exportd::access {
namespace {

using std::chrono::ceil;
using std::chrono::days;
using std::chrono::floor;
using std::chrono::minutes;
using std::chrono::seconds;

}  // namespace

quota::use& quota::use_of(const std::string& caller, clock::time_point now) {
    const auto found = used_.find(caller);
    if (found == used_.end() && used_.size() >= limits_.most_callers) {
        used_.erase(std::min_element(used_.begin(), used_.end(), [](const auto& a, const auto& b) {
            return a.second.last < b.second.last;
        }));
    }
    auto& u = found == used_.end() ? used_[caller] : found->second;
    u.last = now;
    if (floor<minutes>(now) != u.minute) {
        u.minute = floor<minutes>(now);
        u.requests = 0;
    }
    if (floor<days>(now) != u.day) {
        u.day = floor<days>(now);
        u.rows = 0;
    }
    return u;
}

quota::decision quota::count_request(const std::string& caller, clock::time_point now) {
    if (limits_.requests_per_minute == 0) return {};
    auto& u = use_of(caller, now);
    decision d;
    d.allowed = u.requests < limits_.requests_per_minute;
    if (d.allowed) ++u.requests;
    d.requests = {limits_.requests_per_minute, limits_.requests_per_minute - u.requests,
                  ceil<seconds>(u.minute + minutes{1} - now)};
    return d;
}

std::optional<quota::standing> quota::rows(const std::string& caller, clock::time_point now) const {
    if (limits_.rows_per_day == 0) return std::nullopt;
    const auto found = used_.find(caller);
    const auto today = floor<days>(now);
    const auto had = found == used_.end() || found->second.day != today ? 0 : found->second.rows;
    return standing{limits_.rows_per_day,
                    limits_.rows_per_day - std::min(had, limits_.rows_per_day),
                    ceil<seconds>(today + days{1} - now)};
}

void quota::count_rows(const std::string& caller, std::uint64_t n, clock::time_point now) {
    if (limits_.rows_per_day != 0) use_of(caller, now).rows += n;
}

}  // namespace exportd::access
