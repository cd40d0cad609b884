#include "letters.hpp"

#include <exportd/jobs/export_letter.hpp>

#include <tuple>
#include <utility>

namespace exportd::app {

namespace {

// Seconds from 1970 to 2000, where the zones' time begins.
constexpr std::chrono::microseconds epoch_of_zones = std::chrono::seconds{946'684'800};

std::chrono::minutes offset_at(const format::time_zone& zone, exports::instant t) {
    const auto rule = zone.at((t.time_since_epoch() - epoch_of_zones).count());
    return std::chrono::duration_cast<std::chrono::minutes>(std::chrono::microseconds{rule.offset});
}

// The two ends as dates of the export's zone, or, unless both are, as instants.
std::pair<std::string, std::string> range_text(const exports::date_range& range,
                                               const format::time_zone& zone) {
    constexpr std::size_t date_length = 10;
    auto from = exports::to_file_name_part(range.from, zone);
    auto to = exports::to_file_name_part(range.to, zone);
    if (from.size() == date_length && to.size() == date_length)
        return {std::move(from), std::move(to)};
    return {exports::to_rfc3339(range.from), exports::to_rfc3339(range.to)};
}

jobs::export_facts facts_of(const jobs::job& j, const exports::catalog_entry* entry) {
    jobs::export_facts facts;
    facts.job_id = j.id;
    facts.title = entry == nullptr ? j.asked.export_name : entry->what.title;
    if (entry != nullptr) {
        std::tie(facts.from, facts.to) = range_text(j.asked.range, *entry->zone);
    } else {
        facts.from = exports::to_rfc3339(j.asked.range.from);
        facts.to = exports::to_rfc3339(j.asked.range.to);
    }
    return facts;
}

jobs::finished_export finished(const jobs::job& j, const exports::catalog_entry* entry,
                               std::string link) {
    jobs::finished_export done;
    done.link = std::move(link);
    done.rows = j.rows;
    done.bytes = j.bytes;
    const auto expires = j.expires_at.value_or(j.created_at);
    done.expires = std::chrono::floor<std::chrono::seconds>(expires);
    if (entry != nullptr) {
        done.utc_offset = offset_at(*entry->zone, expires);
        done.zone = entry->zone->name();
    }
    return done;
}

}  // namespace

jobs::letter_sender::compose_letter letter_writer(const exports::catalog& catalog,
                                                  std::string public_url) {
    return [&catalog, url = std::move(public_url)](const jobs::job& j, const std::string& token) {
        const auto* entry = catalog.find(j.asked.export_name);
        const auto facts = facts_of(j, entry);
        auto letter =
            token.empty()
                ? jobs::failed_letter(facts, j.code.value_or(""))
                : jobs::finished_letter(
                      facts, finished(j, entry, url + "/jobs/" + j.id + "/file?token=" + token));
        letter.to = j.asked.notify.value_or("");
        letter.message_id = j.id;
        return letter;
    };
}

}  // namespace exportd::app
