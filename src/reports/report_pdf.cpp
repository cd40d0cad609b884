#include <exportd/reports/report_json.hpp>
#include <exportd/reports/report_pdf.hpp>
#include <exportd/sql/session.hpp>

#include <fmt/format.h>

#include "currency_page.hpp"
#include "pages.hpp"
#include <algorithm>

namespace exportd::reports {
namespace {

// Charts of more currencies would hide the ones that matter.
constexpr std::size_t most_charts = 8;

class report_writer {
public:
    explicit report_writer(const report& r)
        : report_{r},
          words_{r},
          drawn_{std::min(most_charts, static_cast<std::size_t>(std::count_if(
                                           r.currencies.begin(), r.currencies.end(),
                                           [](const auto& c) { return c.sums.orders > 0; })))} {}

    std::string title() const { return valid_utf8(report_.title) + ": report"; }

    std::string range() const { return words_.range(report_.range); }

    // Draws all pages and returns how many there are.
    int draw(canvas& on, int total, const std::function<void()>& between) const {
        pages p{on, fmt::format("{}, {}", title(), range()), total, between};
        on.describe(title(), range(), created());
        on.begin_tag("Document");
        summary(p);
        for (std::size_t i = 0; i < drawn_; ++i) {
            p.new_page();
            draw_currency(p, report_, report_.currencies[i], words_);
        }
        on.end_tag("Document");
        p.finish();
        return p.count();
    }

private:
    std::string days_of(const day_range& range) const {
        return words_.count(static_cast<std::uint64_t>(range.length().count()), "day", "days");
    }

    std::string created() const { return words_.created(report_.generated); }

    void summary(pages& p) const {
        p.title(title());
        p.paragraph(
            fmt::format("{} ({}, {})", range(), report_.zone->name(), days_of(report_.range)), 11);
        p.paragraph(fmt::format("Made {} from the export “{}”. Orders in the range: {}.",
                                words_.moment(report_.generated), report_.export_name,
                                words_.count(report_.rows)),
                    9, 0.35);
        p.skip(4);
        if (report_.rows == 0) {
            p.paragraph("There are no orders in this range.", 12);
        } else {
            totals(p);
            sizes(p);
        }
        if (!report_.currencies.empty()) compare(p);
        if (report_.rows != 0) customers(p);
        notes(p);
    }

    void totals(pages& p) const {
        table t{{"Currency", "Orders", "Refunds", "Gross amount", "Refunded", "Net"}, {}};
        for (const auto& c : report_.currencies) {
            t.rows.push_back({c.code, words_.count(c.sums.orders),
                              words_.count(c.sums.refund_orders), c.sums.gross.text,
                              c.sums.refunds.text, c.sums.net.text});
        }
        section(p, "Totals", t);
    }

    void sizes(pages& p) const {
        table t{{"Currency", "Average order", "Median order", "Largest order"}, {}};
        for (const auto& c : report_.currencies) {
            if (!c.average) continue;
            t.rows.push_back({c.code, c.average->text, c.median ? c.median->text : "",
                              c.largest ? c.largest->text : ""});
        }
        section(p, "Size of orders", t);
    }

    void compare(pages& p) const {
        table t{{"Currency", "Orders before", "Orders now", "Net before", "Net now", "Change", "%"},
                {}};
        for (const auto& c : report_.currencies) {
            const auto& b = c.change;
            t.rows.push_back({c.code, words_.count(b.before.orders), words_.count(c.sums.orders),
                              b.before.net.text, c.sums.net.text, b.net_change.text,
                              b.percent ? words_.percent(*b.percent) : "–"});
        }
        section(p,
                fmt::format("Compared with the {} before: {}", days_of(report_.before),
                            words_.range(report_.before)),
                t);
    }

    void customers(pages& p) const {
        table t{{"Currency", "New", "Orders", "Net", "Returning", "Orders", "Net"}, {}};
        for (const auto& c : report_.currencies) {
            if (c.sums.orders == 0) continue;
            const auto& n = c.new_customers;
            const auto& o = c.returning;
            t.rows.push_back({c.code, words_.count(n.customers), words_.count(n.orders), n.net.text,
                              words_.count(o.customers), words_.count(o.orders), o.net.text});
        }
        section(p,
                fmt::format("Customers: {} new, {} returning", words_.count(report_.new_customers),
                            words_.count(report_.returning_customers)),
                t);
    }

    static void section(pages& p, const std::string& name, const table& t) {
        constexpr double some_rows = 60;
        p.caption(name, some_rows);
        draw_table(p, t);
    }

    void notes(pages& p) const {
        p.skip(6);
        left_out(p);
        const auto note = [&](const std::string& text) { p.paragraph(text, 7.5, 0.35); };
        note(
            "Amounts of different currencies are never added. Gross is the sum of all amounts from "
            "zero on, refunded that of all below zero, net that of both. The average is net over "
            "all orders, refunds included.");
        note(fmt::format(
            "A customer is new whose first order within {} days before the end of the range falls "
            "in the range, in whatever currency. Who ordered in several currencies counts in each, "
            "and once in the heading.",
            words_.count(
                static_cast<std::uint64_t>((report_.history + report_.range.length()).count()))));
        const auto sold = static_cast<std::size_t>(
            std::count_if(report_.currencies.begin(), report_.currencies.end(),
                          [](const auto& c) { return c.sums.orders > 0; }));
        if (sold > drawn_) {
            note(fmt::format("Charts follow for the {} currencies with the most orders.", drawn_));
        }
    }

    // Nothing is left out without a word.
    void left_out(pages& p) const {
        std::uint64_t orders = 0;
        for (const auto& each : report_.not_counted)
            orders += each.orders;
        if (orders == 0) return;
        auto text = fmt::format("In no sum: {} of {} orders.", words_.count(orders),
                                words_.count(report_.rows));
        for (const auto& each : report_.not_counted)
            text += fmt::format(" {}: {}.", words_.reason(each.reason), words_.count(each.orders));
        if (!report_.unusable_codes.empty()) {
            text += " Codes:";
            for (const auto& each : report_.unusable_codes)
                text += fmt::format(" “{}” ({})", valid_utf8(each.reason), each.orders);
            text += '.';
        }
        p.paragraph(text, 9);
    }

    const report& report_;
    report_words words_;
    std::size_t drawn_;
};

}  // namespace

std::string to_pdf(const report& r, const std::stop_token& stop) {
    const auto between = [&stop] {
        if (stop.stop_requested()) throw sql::interrupted{};
    };
    const report_writer writer{r};
    // Drawn twice: only then is it known how many pages there are.
    std::string bytes;
    canvas draft{bytes};
    const int total = writer.draw(draft, 0, between);
    draft.finish();
    bytes.clear();
    canvas fair{bytes};
    writer.draw(fair, total, between);
    fair.finish();
    return bytes;
}

}  // namespace exportd::reports
