#include <exportd/exports/encoder_factory.hpp>

#include <fmt/format.h>

#include "cell_encoders.hpp"
#include <algorithm>
#include <map>
#include <optional>
#include <stdexcept>
#include <tuple>

namespace exportd::exports {
namespace {

using format::date_time_style;
using rows::value_kind;

date_time_style style_of(std::string_view name) {
    if (name == "short") return date_time_style::short_form;
    if (name == "medium") return date_time_style::medium;
    if (name == "long") return date_time_style::long_form;
    if (name == "full") return date_time_style::full;
    return date_time_style::none;
}

std::size_t index_of(const std::vector<rows::column>& columns, const std::string& name) {
    const auto count = std::count_if(columns.begin(), columns.end(),
                                     [&](const auto& c) { return c.name == name; });
    if (count != 1) {
        throw std::runtime_error{
            fmt::format("the query has {} column {}", count == 0 ? "no" : "more than one", name)};
    }
    return static_cast<std::size_t>(std::find_if(columns.begin(), columns.end(),
                                                 [&](const auto& c) { return c.name == name; }) -
                                    columns.begin());
}

// What a column is written as when its format is left to its type.
column_format format_for(value_kind kind) {
    if (is_text(kind)) return column_format::text;
    switch (kind) {
        case value_kind::timestamp:
        case value_kind::timestamptz:
            return column_format::date_time;
        case value_kind::date:
            return column_format::date;
        case value_kind::time:
            return column_format::time;
        default:
            return column_format::plain;
    }
}

// The entry of a column that is shown because nothing else is configured.
column_definition default_column(const rows::column& c) {
    column_definition d;
    d.name = d.heading = c.name;
    return d;
}

using styles = std::pair<std::string, std::string>;

// The styles for a type that has both a date and a time, and for those that have only one.
std::vector<styles> all_styles(const column_definition& c) {
    std::vector<styles> all{{c.date_style, c.time_style}};
    if (c.date_style != "none") all.emplace_back(c.date_style, "none");
    if (c.time_style != "none") all.emplace_back("none", c.time_style);
    return all;
}

styles styles_for(const column_definition& c, value_kind kind) {
    if (kind == value_kind::date) return {c.date_style, "none"};
    if (kind == value_kind::time) return {"none", c.time_style};
    return {c.date_style, c.time_style};
}

// The value under a key, made if it is not there.
template <class Map, class Make>
auto& made(Map& map, const typename Map::key_type& key, Make make) {
    auto found = map.find(key);
    if (found == map.end()) found = map.emplace(key, make()).first;
    return found->second;
}

}  // namespace

class encoder_factory::formatters {
public:
    const format::money_formatter& money(const definition& d) {
        return *made(money_, d.locale, [&] { return format::money_formatter::create(d.locale); });
    }

    const format::number_formatter& number(const definition& d, std::optional<int> decimals) {
        return *made(number_, std::pair{d.locale, decimals}, [&] {
            std::optional<format::fraction_digits> digits;
            if (decimals) digits = format::fraction_digits{*decimals, *decimals};
            return format::number_formatter::create(d.locale, digits);
        });
    }

    const format::date_time_formatter& date_time(const catalog_entry& e, const std::string& date,
                                                 const std::string& time) {
        return *made(date_time_, std::tuple{e.what.locale, e.what.time_zone, date, time}, [&] {
            return format::date_time_formatter::create(e.what.locale, e.zone, style_of(date),
                                                       style_of(time));
        });
    }

    // For an export whose zone is known to have been used when everything was made.
    const format::date_time_formatter& find_date_time(const definition& d, const std::string& date,
                                                      const std::string& time) const {
        return *date_time_.at({d.locale, d.time_zone, date, time});
    }
    const format::money_formatter& find_money(const definition& d) const {
        return *money_.at(d.locale);
    }
    const format::number_formatter& find_number(const definition& d,
                                                std::optional<int> decimals) const {
        return *number_.at({d.locale, decimals});
    }

    std::vector<std::string> describe() const {
        std::vector<std::string> lines;
        const auto way = [](bool fast) { return fast ? "tables" : "ICU for each value"; };
        for (const auto& [locale, f] : money_)
            lines.push_back(fmt::format("money {}: {}", locale, way(f->fast())));
        for (const auto& [key, f] : number_)
            lines.push_back(fmt::format("number {}: {}", key.first, way(f->fast())));
        for (const auto& [key, f] : date_time_) {
            lines.push_back(fmt::format("date_time {} {} {}/{}: {}", std::get<0>(key),
                                        std::get<1>(key), std::get<2>(key), std::get<3>(key),
                                        way(f->fast())));
        }
        return lines;
    }

private:
    std::map<std::string, std::unique_ptr<format::money_formatter>> money_;
    std::map<std::pair<std::string, std::optional<int>>, std::unique_ptr<format::number_formatter>>
        number_;
    std::map<std::tuple<std::string, std::string, std::string, std::string>,
             std::unique_ptr<format::date_time_formatter>>
        date_time_;
};

// Everything that any column of the export may need, whatever type it turns out to have.
encoder_factory::encoder_factory(const catalog& c) : formatters_{std::make_unique<formatters>()} {
    for (const auto& [name, entry] : c.all()) {
        try {
            for (const auto& [date, time] : all_styles({}))
                formatters_->date_time(entry, date, time);
            for (const auto& column : entry.what.columns) {
                for (const auto& [date, time] : all_styles(column))
                    formatters_->date_time(entry, date, time);
                if (column.format == column_format::money) formatters_->money(entry.what);
                if (column.format == column_format::number)
                    formatters_->number(entry.what, column.decimals);
            }
        } catch (const std::exception& e) {
            throw std::runtime_error{fmt::format("export {}: {}", name, e.what())};
        }
    }
}

encoder_factory::~encoder_factory() = default;

std::vector<std::string> encoder_factory::describe() const {
    return formatters_->describe();
}

namespace {

[[noreturn]] void refuse_type(const rows::column& c, std::string_view wanted) {
    throw std::runtime_error{
        fmt::format("column {} of type {} can't be shown as {}", c.name, c.type_name, wanted)};
}

void require_decoder(const rows::column& c) {
    if (c.kind == value_kind::unsupported) {
        throw std::runtime_error{
            fmt::format("cast column {} of type {} to text in the query", c.name,
                        c.type_name.empty() ? "that has no decoder" : c.type_name)};
    }
}

std::unique_ptr<column_encoder> make_raw(const rows::column& c, std::size_t index) {
    require_decoder(c);
    if (is_text(c.kind)) return make_text_encoder({index, c.name}, c.kind, csv::formula_guard::off);
    return make_plain_encoder({index, c.name}, c.kind);
}

}  // namespace

std::unique_ptr<row_encoder> encoder_factory::make(const definition& d, values v, bool excel,
                                                   const std::vector<rows::column>& columns) const {
    const auto guard = d.formula_guard && v == values::formatted ? csv::formula_guard::on
                                                                 : csv::formula_guard::off;
    const file_form form{excel, excel ? "\r\n" : "\n", guard};
    std::vector<output_column> out;
    if (v == values::raw) {
        for (std::size_t i = 0; i < columns.size(); ++i)
            out.push_back({columns[i].name, make_raw(columns[i], i)});
        return std::make_unique<row_encoder>(std::move(out), columns.size(), form);
    }
    std::vector<column_definition> shown = d.columns;
    if (shown.empty())
        std::transform(columns.begin(), columns.end(), std::back_inserter(shown), default_column);
    for (std::size_t i = 0; i < shown.size(); ++i) {
        const auto index = d.columns.empty() ? i : index_of(columns, shown[i].name);
        out.push_back({shown[i].heading, make_formatted(d, shown[i], columns, index)});
    }
    return std::make_unique<row_encoder>(std::move(out), columns.size(), form);
}

std::unique_ptr<column_encoder> encoder_factory::make_formatted(
    const definition& d, const column_definition& shown, const std::vector<rows::column>& columns,
    std::size_t index) const {
    const auto& c = columns[index];
    require_decoder(c);
    const cell_place at{index, c.name};
    const auto guard = d.formula_guard ? csv::formula_guard::on : csv::formula_guard::off;
    auto wanted = shown.format == column_format::automatic ? format_for(c.kind) : shown.format;
    // As stored is, for a text, the text.
    if (wanted == column_format::plain && is_text(c.kind)) wanted = column_format::text;
    switch (wanted) {
        case column_format::automatic:
        case column_format::text:
            if (!is_text(c.kind)) return make_plain_encoder(at, c.kind);
            return make_text_encoder(at, c.kind, guard);
        case column_format::plain:
            return make_plain_encoder(at, c.kind);
        case column_format::number:
            if (!is_exact_number(c.kind)) refuse_type(c, "number; cast it to numeric in the query");
            return make_number_encoder(at, c.kind, formatters_->find_number(d, shown.decimals));
        case column_format::money: {
            if (!is_exact_number(c.kind)) refuse_type(c, "money; cast it to numeric in the query");
            const auto code = index_of(columns, shown.currency);
            if (columns[code].kind != value_kind::text) refuse_type(columns[code], "a currency");
            return make_money_encoder(at, c.kind, {code, shown.currency},
                                      formatters_->find_money(d), guard);
        }
        case column_format::date_time:
        case column_format::date:
        case column_format::time:
            break;
    }
    const auto [date, time] = styles_for(shown, c.kind);
    if (!is_date_or_time(c.kind) || (date == "none" && time == "none"))
        refuse_type(c, "this date or time");
    return make_date_time_encoder(at, c.kind, formatters_->find_date_time(d, date, time));
}

std::vector<std::string> configured_headings(const definition& d) {
    std::vector<std::string> headings;
    for (const auto& column : d.columns)
        headings.push_back(column.heading);
    return headings;
}

}  // namespace exportd::exports
