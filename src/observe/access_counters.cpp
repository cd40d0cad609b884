#include "access_counters.hpp"

#include "event_fields.hpp"
#include <array>
#include <string>

namespace exportd::observe {
namespace {

constexpr std::string_view other = "other";  // what is wrong with a JSON Web Token, among others
constexpr std::array<std::string_view, 7> reasons{"no_credentials",
                                                  "unknown_token",
                                                  "malformed_credentials",
                                                  "cross_site",
                                                  "csrf",
                                                  "too_many_requests",
                                                  other};
constexpr std::array<std::string_view, 2> sinks{"log", "table"};

void increment(const std::map<std::string_view, prometheus::Counter*>& counters,
               std::string_view label) {
    auto found = counters.find(label);
    if (found == counters.end()) found = counters.find(other);
    if (found != counters.end()) found->second->Increment();
}

}  // namespace

access_counters::access_counters(prometheus::Registry& registry) {
    auto& refusals =
        prometheus::BuildCounter()
            .Name("exportd_access_refused_total")
            .Help("Requests and sign-ins that were turned away before anything else, by reason.")
            .Register(registry);
    for (const auto reason : reasons)
        refused_[reason] = &refusals.Add({{"reason", std::string{reason}}});
    auto& losses =
        prometheus::BuildCounter()
            .Name("exportd_audit_lost_total")
            .Help("Records of the audit that could not be written, by where they were to go.")
            .Register(registry);
    for (const auto sink : sinks)
        lost_[sink] = &losses.Add({{"sink", std::string{sink}}});
}

bool access_counters::count(const event& e) {
    if (e.name() == "access_refused") {
        increment(refused_, text_of(e, "code"));
    } else if (e.name() == "audit_lost") {
        increment(lost_, text_of(e, "sink"));
    } else {
        return false;
    }
    return true;
}

}  // namespace exportd::observe
