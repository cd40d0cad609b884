#pragma once

#include <exportd/format/time_zone.hpp>
#include <exportd/reports/amount.hpp>
#include <exportd/reports/calendar.hpp>

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace exportd::reports {

// The columns of an export's query that a report is made of.
struct report_columns {
    std::string amount;    // numeric or an integer
    std::string currency;  // the ISO 4217 code
    std::string time;      // timestamptz, timestamp or date; what the query's range selects by
    std::string customer;  // tells customers apart, such as an e-mail address
};

// What one report is wanted of. A plain value, so that it can go to another thread.
struct report_request {
    std::string export_name;
    std::string title;
    std::string sql;  // one statement; $1 and $2 are the range's ends, timestamptz
    std::string locale;
    std::shared_ptr<const format::time_zone> zone;
    report_columns columns;
    std::chrono::days history{0};  // how far back a customer's earlier orders are looked for
    day_range range;
};

// An amount and how the export's locale writes it in the currency at hand.
struct figure {
    amount value;
    std::string text;
};

// Orders of one currency that belong together.
struct order_sums {
    std::uint64_t orders = 0;
    std::uint64_t refund_orders = 0;  // with an amount below zero
    figure gross;                     // amounts from zero on
    figure refunds;                   // amounts below zero
    figure net;                       // of both
};

struct period_sum {
    period when;
    std::uint64_t orders = 0;
    figure net;
};

struct hour_sum {
    std::uint64_t orders = 0;
    figure net;
};

struct band_figures {
    std::optional<figure> from;  // amounts from here on
    std::optional<figure> to;    // and below this
    std::uint64_t orders = 0;
    figure net;
};

struct customer_sums {
    std::uint64_t customers = 0;
    std::uint64_t orders = 0;
    figure net;
};

// Against the range before.
struct comparison {
    order_sums before;
    figure net_change;              // now minus before
    std::optional<amount> percent;  // of net, one digit; only if net was above zero before
};

constexpr std::size_t hours_of_day = 24;
constexpr std::size_t days_of_week = 7;

// All about one currency. Amounts of different currencies are never added.
struct currency_report {
    std::string code;
    std::string zero;  // how no amount is written, such as £0.00
    order_sums sums;
    // None without orders. The average's value is rounded to four digits more than the sum has.
    std::optional<figure> average;
    std::optional<figure> median;  // of an even number of orders the mean of the middle two
    std::optional<figure> largest;
    comparison change;
    std::vector<period_sum> months;
    std::vector<period_sum> weeks;
    std::vector<period_sum> days;
    std::array<std::array<hour_sum, hours_of_day>, days_of_week> hours;  // from Monday on
    std::vector<band_figures> bands;
    // By the customer's first order in any currency: in the range, or within the history before it.
    customer_sums new_customers;
    customer_sums returning;
    customer_sums unknown;  // without a customer; customers is 0
};

// Orders that are in no sum because something about them is not usable.
struct left_out {
    std::string reason;
    std::uint64_t orders = 0;
};

// A report, ready to be written down. A plain value.
struct report {
    std::string export_name;
    std::string title;
    std::string locale;
    std::shared_ptr<const format::time_zone> zone;
    day_range range;
    day_range before;
    std::chrono::days history{0};
    std::chrono::sys_seconds generated;
    std::uint64_t rows = 0;             // of the query: the orders of all sums, and those left out
    std::uint64_t left_out_before = 0;  // of the range before
    std::vector<currency_report> currencies;  // most orders first
    std::vector<left_out> not_counted;
    std::vector<left_out> unusable_codes;  // the most frequent ones, by the stored code
    std::uint64_t new_customers = 0;       // over all currencies
    std::uint64_t returning_customers = 0;
};

}  // namespace exportd::reports
