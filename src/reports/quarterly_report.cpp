#include <exportd/reports/quarterly_report.hpp>
#include <exportd/reports/value_bands.hpp>

#include "figure_writer.hpp"
#include "report_query.hpp"
#include <algorithm>
#include <map>
#include <numeric>

namespace exportd::reports {
namespace {

struct sums {
    std::uint64_t orders = 0;
    std::uint64_t refund_orders = 0;
    amount net;
    amount refunds;

    void add(const sums& other) {
        orders += other.orders;
        refund_orders += other.refund_orders;
        net += other.net;
        refunds += other.refunds;
    }
};

// What the database says about one currency.
struct currency_facts {
    std::vector<sums> days;
    std::array<std::array<sums, hours_of_day>, days_of_week> hours;
    std::map<std::size_t, band_sum> bands;
    std::optional<amount> median;
    std::optional<amount> largest;
    sums before;
    std::map<std::string, std::pair<std::uint64_t, sums>> customers;  // by kind
};

using all_facts = std::map<std::string, currency_facts>;

std::uint64_t count_at(const sql::result& rows, std::size_t row, std::string_view column) {
    const auto& text = rows.at(row, column);
    return text ? std::stoull(*text) : 0;
}

amount amount_at(const sql::result& rows, std::size_t row, std::string_view column) {
    const auto& text = rows.at(row, column);
    return text ? amount::parse(*text) : amount{};
}

sums sums_at(const sql::result& rows, std::size_t row) {
    return {count_at(rows, row, "orders"), count_at(rows, row, "refund_orders"),
            amount_at(rows, row, "net"), amount_at(rows, row, "refunds")};
}

class reader {
public:
    reader(const report_request& wanted, sql::session& database)
        : wanted_{wanted}, database_{database} {}

    void read(report& into) {
        const auto type = time_type_query(wanted_);
        const bool instant = is_instant(database_.exec(type.sql, type.given).at(0, 0).value());
        read_range(into, run(range_query(wanted_, instant)));
        read_before(into, run(before_query(wanted_, instant)));
        read_customers(into, run(customer_query(wanted_, instant)));
    }

    const all_facts& facts() const noexcept { return facts_; }

private:
    sql::result run(const statement& s) { return database_.exec(s.sql, s.given); }

    currency_facts& of(const sql::text& currency) {
        // There are some 180; text that merely looks like them must not cost memory without end.
        constexpr std::size_t most_currencies = 250;
        auto& found = facts_[currency.value()];
        if (facts_.size() > most_currencies)
            throw std::invalid_argument{"the orders have more than 250 different currencies"};
        found.days.resize(static_cast<std::size_t>(wanted_.range.length().count()));
        return found;
    }

    void read_range(report& into, const sql::result& rows) {
        for (std::size_t row = 0; row < rows.size(); ++row) {
            const auto kind = rows.at(row, "kind").value();
            const auto& currency = rows.at(row, "currency");
            if (kind == "left_out") {
                into.not_counted.push_back({currency.value(), count_at(rows, row, "orders")});
            } else if (kind == "code") {
                into.unusable_codes.push_back({currency.value(), count_at(rows, row, "orders")});
            } else if (is_usable(currency)) {
                read_sum(of(currency), kind, rows, row);
            }
        }
    }

    // What is not usable is counted as left out.
    static bool is_usable(const sql::text& code) {
        return code && code->size() == 3 &&
               std::all_of(code->begin(), code->end(), [](char c) { return c >= 'A' && c <= 'Z'; });
    }

    static void read_sum(currency_facts& f, std::string_view kind, const sql::result& rows,
                         std::size_t row) {
        const auto a = static_cast<std::size_t>(count_at(rows, row, "a"));
        if (kind == "day") {
            f.days.at(a - 1) = sums_at(rows, row);
        } else if (kind == "hour") {
            f.hours.at(a).at(count_at(rows, row, "b")) = sums_at(rows, row);
        } else if (kind == "band") {
            f.bands[a] = {count_at(rows, row, "orders"), amount_at(rows, row, "net")};
        } else if (kind == "middle") {
            const auto low = amount_at(rows, row, "net");
            const auto high = amount_at(rows, row, "refunds");
            f.median = low == high ? low : (low + high).half();
            f.largest = amount_at(rows, row, "largest");
        }
    }

    void read_before(report& into, const sql::result& rows) {
        for (std::size_t row = 0; row < rows.size(); ++row) {
            if (rows.at(row, "kind") == "total") {
                of(rows.at(row, "currency")).before = sums_at(rows, row);
            } else {
                into.left_out_before += count_at(rows, row, "orders");
            }
        }
    }

    void read_customers(report& into, const sql::result& rows) {
        for (std::size_t row = 0; row < rows.size(); ++row) {
            const auto kind = rows.at(row, "kind").value();
            const auto customers = count_at(rows, row, "a");
            const auto& currency = rows.at(row, "currency");
            if (currency) {
                sums s;
                s.orders = count_at(rows, row, "orders");
                s.net = amount_at(rows, row, "net");
                of(currency).customers[kind] = {customers, s};
            } else if (kind == "new") {
                into.new_customers = customers;
            } else if (kind == "returning") {
                into.returning_customers = customers;
            }
        }
    }

    const report_request& wanted_;
    sql::session& database_;
    all_facts facts_;
};

// Turns facts into figures.
class composer {
public:
    composer(const report& r, const figure_writer& write) : report_{r}, write_{write} {}

    currency_report compose(const std::string& code, const currency_facts& f) const {
        currency_report c;
        c.code = code;
        c.zero = write_.make(amount{}, code).text;
        sums total;
        for (const auto& each : f.days)
            total.add(each);
        c.sums = printed(total, code);
        if (total.orders > 0) add_measures(c, f, total);
        c.change = compare(total, f.before, code);
        c.months = periods(months_of(report_.range), f, code);
        c.weeks = periods(weeks_of(report_.range), f, code);
        c.days = periods(days_of(report_.range), f, code);
        for (std::size_t day = 0; day < days_of_week; ++day) {
            for (std::size_t hour = 0; hour < hours_of_day; ++hour) {
                const auto& s = f.hours[day][hour];
                c.hours[day][hour] = {s.orders, write_.make(s.net, code)};
            }
        }
        for (const auto& band : make_bands(f.bands))
            c.bands.push_back(printed(band, code));
        c.new_customers = customers(f, "new", code);
        c.returning = customers(f, "returning", code);
        c.unknown = customers(f, "unknown", code);
        return c;
    }

private:
    order_sums printed(const sums& s, const std::string& code) const {
        return {s.orders, s.refund_orders, write_.make(s.net - s.refunds, code),
                write_.make(s.refunds, code), write_.make(s.net, code)};
    }

    band_figures printed(const value_band& band, const std::string& code) const {
        band_figures b;
        if (band.from) b.from = write_.make(*band.from, code);
        if (band.to) b.to = write_.make(*band.to, code);
        b.orders = band.orders;
        b.net = write_.make(band.net, code);
        return b;
    }

    void add_measures(currency_report& c, const currency_facts& f, const sums& total) const {
        constexpr int finer = 4;
        constexpr int enough = 40;  // more digits than any currency has, for the rounding
        const auto orders = amount::parse(std::to_string(total.orders));
        c.average = write_.make(total.net.divided(orders, total.net.scale() + finer),
                                total.net.divided_sticky(orders, enough), c.code);
        if (f.median) c.median = write_.make(*f.median, c.code);
        if (f.largest) c.largest = write_.make(*f.largest, c.code);
    }

    comparison compare(const sums& now, const sums& before, const std::string& code) const {
        comparison c;
        c.before = printed(before, code);
        const auto change = now.net - before.net;
        c.net_change = write_.make(change, code);
        if (before.net.sign() > 0)
            c.percent = (change * amount::parse("100")).divided(before.net, 1);
        return c;
    }

    std::vector<period_sum> periods(std::vector<period> when, const currency_facts& f,
                                    const std::string& code) const {
        std::vector<period_sum> all;
        for (auto& each : when) {
            const auto first = f.days.begin() + (each.days.from - report_.range.from).count();
            const auto last = first + each.days.length().count();
            sums total;
            std::for_each(first, last, [&](const sums& s) { total.add(s); });
            all.push_back({std::move(each), total.orders, write_.make(total.net, code)});
        }
        return all;
    }

    customer_sums customers(const currency_facts& f, const std::string& kind,
                            const std::string& code) const {
        const auto found = f.customers.find(kind);
        if (found == f.customers.end()) return {0, 0, write_.make(amount{}, code)};
        const auto& [customers, s] = found->second;
        return {customers, s.orders, write_.make(s.net, code)};
    }

    const report& report_;
    const figure_writer& write_;
};

report begin_report(const report_request& wanted) {
    report r;
    r.export_name = wanted.export_name;
    r.title = wanted.title;
    r.locale = wanted.locale;
    r.zone = wanted.zone;
    r.range = wanted.range;
    r.before = range_before(wanted.range);
    r.history = wanted.history;
    r.generated = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
    return r;
}

void compose(report& r, const all_facts& facts) {
    const figure_writer write{r.locale};
    const composer made{r, write};
    for (const auto& [code, f] : facts)
        r.currencies.push_back(made.compose(code, f));
    std::stable_sort(r.currencies.begin(), r.currencies.end(),
                     [](const auto& a, const auto& b) { return a.sums.orders > b.sums.orders; });
    for (const auto& c : r.currencies)
        r.rows += c.sums.orders;
    for (const auto& each : r.not_counted)
        r.rows += each.orders;
}

// Hash tables and the rows between two steps stay in memory up to this; they spill to disk
// beyond. Compiling the statement takes longer than it saves.
constexpr std::string_view settings =
    "SET LOCAL TimeZone = 'UTC'; SET LOCAL client_encoding = 'UTF8'; "
    "SET LOCAL DateStyle = 'ISO, YMD'; SET LOCAL IntervalStyle = 'postgres'; "
    "SET LOCAL standard_conforming_strings = on; SET LOCAL work_mem = '64MB'; SET LOCAL jit = off; "
    // A backend whose client is gone ends its statement; from version 14 on.
    "SELECT set_config(name, '1000', true) FROM pg_settings "
    "WHERE name = 'client_connection_check_interval'";

}  // namespace

report make_report(const report_request& wanted, sql::session& database, std::stop_token stop) {
    auto r = begin_report(wanted);
    reader read{wanted, database};
    database.interruptible(std::move(stop), [&] {
        database.transaction(
            [&] {
                database.exec_script(settings);
                read.read(r);
            },
            "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    });
    compose(r, read.facts());
    return r;
}

}  // namespace exportd::reports
