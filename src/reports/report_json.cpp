#include <exportd/reports/report_json.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

namespace exportd::reports {
namespace {

namespace json = boost::json;

json::object json_of(const figure& f) {
    return {{"raw", f.value.text()}, {"formatted", f.text}};
}

json::value json_of(const std::optional<figure>& f) {
    return f ? json::value(json_of(*f)) : json::value(nullptr);
}

json::object json_of(const order_sums& s) {
    return {{"orders", s.orders},
            {"refund_orders", s.refund_orders},
            {"gross", json_of(s.gross)},
            {"refunds", json_of(s.refunds)},
            {"net", json_of(s.net)}};
}

json::object json_of(const customer_sums& s) {
    return {{"customers", s.customers}, {"orders", s.orders}, {"net", json_of(s.net)}};
}

// `name` is month, week or day.
json::array json_of(const std::vector<period_sum>& periods, const char* name) {
    json::array all;
    for (const auto& each : periods) {
        json::object o{{name, each.when.name}};
        if (each.when.days.length() > std::chrono::days{1} || std::string_view{name} != "day") {
            o["from"] = iso_date(each.when.days.from);
            o["to"] = iso_date(each.when.days.to);
        }
        o["orders"] = each.orders;
        o["net"] = json_of(each.net);
        all.push_back(std::move(o));
    }
    return all;
}

json::array hours_of(const currency_report& c) {
    json::array all;
    for (std::size_t day = 0; day < days_of_week; ++day) {
        for (std::size_t hour = 0; hour < hours_of_day; ++hour) {
            const auto& sum = c.hours[day][hour];
            // ISO 8601 counts weekdays from Monday, 1.
            all.push_back(json::object{{"weekday", day + 1},
                                       {"hour", hour},
                                       {"orders", sum.orders},
                                       {"net", json_of(sum.net)}});
        }
    }
    return all;
}

json::array bands_of(const currency_report& c) {
    json::array all;
    for (const auto& band : c.bands) {
        all.push_back(json::object{{"from", json_of(band.from)},
                                   {"to", json_of(band.to)},
                                   {"orders", band.orders},
                                   {"net", json_of(band.net)}});
    }
    return all;
}

json::object json_of(const currency_report& c) {
    json::object o{{"currency", c.code}};
    for (auto& member : json_of(c.sums))
        o.insert(member);
    o["average"] = json_of(c.average);
    o["median"] = json_of(c.median);
    o["largest"] = json_of(c.largest);
    o["before"] = json_of(c.change.before);
    json::object change{{"net", json_of(c.change.net_change)}};
    change["net_percent"] =
        c.change.percent ? json::value(c.change.percent->text()) : json::value(nullptr);
    o["change"] = std::move(change);
    o["customers"] = json::object{{"new", json_of(c.new_customers)},
                                  {"returning", json_of(c.returning)},
                                  {"unknown", json_of(c.unknown)}};
    o["bands"] = bands_of(c);
    o["months"] = json_of(c.months, "month");
    o["weeks"] = json_of(c.weeks, "week");
    o["days"] = json_of(c.days, "day");
    o["hours"] = hours_of(c);
    return o;
}

json::object json_of(const day_range& range, const format::time_zone& zone) {
    return {{"from", iso_date(range.from)},
            {"to", iso_date(range.to)},
            {"from_instant", start_rfc3339(range.from, zone)},
            {"to_instant", start_rfc3339(range.to, zone)},
            {"days", range.length().count()}};
}

json::object left_out_of(const report& r) {
    json::object o;
    std::uint64_t rows = 0;
    json::object reasons;
    for (const auto& each : r.not_counted) {
        rows += each.orders;
        reasons[each.reason] = each.orders;
    }
    json::array codes;
    for (const auto& each : r.unusable_codes)
        codes.push_back(
            json::object{{"currency", valid_utf8(each.reason)}, {"orders", each.orders}});
    o["orders"] = rows;
    o["reasons"] = std::move(reasons);
    o["unusable_currencies"] = std::move(codes);
    o["orders_before"] = r.left_out_before;
    return o;
}

std::string rfc3339(std::chrono::sys_seconds t) {
    const auto date = std::chrono::floor<std::chrono::days>(t);
    const std::chrono::hh_mm_ss time{t - date};
    return fmt::format("{}T{:02}:{:02}:{:02}Z", iso_date(date), time.hours().count(),
                       time.minutes().count(), time.seconds().count());
}

// How many bytes the character at the front of a text has; 0 if it is none (RFC 3629 section 4).
std::size_t character_length(std::string_view text) {
    const auto at = [&](std::size_t i) {
        return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
    };
    const auto follows = [&](std::size_t i) { return (at(i) & 0xC0U) == 0x80U; };
    const unsigned first = at(0);
    if (first < 0x80) return 1;
    if (first >= 0xC2 && first <= 0xDF) return follows(1) ? 2 : 0;
    if (first >= 0xE0 && first <= 0xEF) {
        if (first == 0xE0 && at(1) < 0xA0) return 0;
        if (first == 0xED && at(1) > 0x9F) return 0;
        return follows(1) && follows(2) ? 3 : 0;
    }
    if (first >= 0xF0 && first <= 0xF4) {
        if (first == 0xF0 && at(1) < 0x90) return 0;
        if (first == 0xF4 && at(1) > 0x8F) return 0;
        return follows(1) && follows(2) && follows(3) ? 4 : 0;
    }
    return 0;
}

}  // namespace

std::string valid_utf8(std::string_view text) {
    std::string valid;
    while (!text.empty()) {
        const auto length = character_length(text);
        if (length == 0) {
            valid += "\xEF\xBF\xBD";
            text.remove_prefix(1);
        } else {
            valid += text.substr(0, length);
            text.remove_prefix(length);
        }
    }
    return valid;
}

std::string to_json(const report& r) {
    json::object o{{"report", "quarterly-report"},
                   {"export", r.export_name},
                   {"title", valid_utf8(r.title)},
                   {"time_zone", r.zone->name()},
                   {"locale", r.locale},
                   {"generated_at", rfc3339(r.generated)},
                   {"range", json_of(r.range, *r.zone)},
                   {"range_before", json_of(r.before, *r.zone)},
                   {"history_days", r.history.count()},
                   {"empty", r.rows == 0},
                   {"orders", r.rows},
                   {"left_out", left_out_of(r)},
                   {"new_customers", r.new_customers},
                   {"returning_customers", r.returning_customers}};
    json::array currencies;
    for (const auto& c : r.currencies)
        currencies.push_back(json_of(c));
    o["currencies"] = std::move(currencies);
    return json::serialize(o) + '\n';
}

}  // namespace exportd::reports
