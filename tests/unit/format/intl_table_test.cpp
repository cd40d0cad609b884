// The oracle is Node's Intl: data/intl_*.tsv, printed by data/make_intl_tables.mjs.
#include <exportd/format/date_time.hpp>
#include <exportd/format/money.hpp>
#include <exportd/format/number.hpp>
#include <exportd/format/versions.hpp>

#include "numeric_wire.hpp"
#include "source_directory.hpp"
#include <catch.hpp>
#include <charconv>
#include <chrono>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

using namespace exportd::format;

namespace {

using row = std::vector<std::string>;

// The rows of a table, without comments.
std::vector<row> read_table(const std::string& name) {
    std::ifstream in(source_directory() + "/tests/unit/format/data/" + name);
    REQUIRE(in.is_open());
    std::vector<row> rows;
    for (std::string line; std::getline(in, line);) {
        if (line.starts_with('#')) continue;
        row fields;
        std::istringstream split(line);
        for (std::string field; std::getline(split, field, '\t');)
            fields.push_back(field);
        rows.push_back(fields);
    }
    REQUIRE_FALSE(rows.empty());
    return rows;
}

// Where CLDR changed between the versions of Debian 12 and of Node: `locale`, and the currency
// or style, or `*`. Everything that is not in this list has to be equal.
class known_differences {
public:
    explicit known_differences(const std::string& table) {
        for (const row& r : read_table("known_differences.tsv")) {
            if (r.at(0) == table) keys_.emplace(r.at(1) + "\t" + r.at(2), false);
        }
    }

    void compare(const std::string& locale, const std::string& what, const row& from,
                 std::string_view ours) {
        if (ours == from.back()) return;
        for (const auto& key : {locale + "\t" + what, locale + "\t*"}) {
            if (const auto at = keys_.find(key); at != keys_.end()) {
                at->second = true;
                return;
            }
        }
        std::string input;
        for (const auto& field : from)
            input += field + " ";
        INFO(input);
        CHECK(ours == from.back());
    }

    // The list must not hide more than there is. It was made for one version of ICU.
    ~known_differences() {
        if (!icu_version().starts_with("72.")) return;
        for (const auto& [key, seen] : keys_) {
            INFO(key);
            CHECK(seen);
        }
    }

private:
    std::map<std::string, bool> keys_;
};

date_time_style style_of(std::string_view name) {
    if (name == "short") return date_time_style::short_form;
    if (name == "medium") return date_time_style::medium;
    if (name == "long") return date_time_style::long_form;
    if (name == "full") return date_time_style::full;
    return date_time_style::none;
}

// `2025-01-02T03:04:05Z`, also with an expanded year.
std::int64_t micros_of(std::string_view text) {
    if (text.starts_with('+')) text.remove_prefix(1);
    const auto number = [](std::string_view part) {
        int n = 0;
        std::from_chars(part.data(), part.data() + part.size(), n);
        return n;
    };
    const std::size_t dash = text.find('-');
    const std::string_view rest = text.substr(dash + 1);
    using namespace std::chrono;
    const sys_days day = year{number(text.substr(0, dash))} /
                         month{static_cast<unsigned>(number(rest.substr(0, 2)))} /
                         std::chrono::day{static_cast<unsigned>(number(rest.substr(3, 2)))};
    const auto time = hours{number(rest.substr(6, 2))} + minutes{number(rest.substr(9, 2))} +
                      seconds{number(rest.substr(12, 2))};
    return (day - sys_days{year{2000} / 1 / 1} + time) / microseconds{1};
}

}  // namespace

TEST_CASE("amounts are what Node prints", "[format][money][intl]") {
    known_differences known("money");
    std::map<std::string, std::unique_ptr<money_formatter>> made;
    for (const row& r : read_table("intl_money.tsv")) {
        auto& f = made[r.at(0)];
        if (!f) f = money_formatter::create(r[0]);
        const test::number amount(r.at(2));
        exportd::rows::byte_buffer out;
        f->append(out, amount.value(), r.at(1));
        known.compare(r[0], r[1], r, out.view());
    }
}

TEST_CASE("numbers are what Node prints", "[format][number][intl]") {
    known_differences known("numbers");
    std::map<std::string, std::unique_ptr<number_formatter>> made;
    for (const row& r : read_table("intl_numbers.tsv")) {
        auto& f = made[r.at(0)];
        if (!f) f = number_formatter::create(r[0]);
        const test::number value(r.at(1));
        exportd::rows::byte_buffer out;
        f->append(out, value.value());
        known.compare(r[0], "number", r, out.view());
    }
}

TEST_CASE("dates are what Node prints", "[format][date_time][intl]") {
    known_differences known("dates");
    std::map<std::string, std::unique_ptr<date_time_formatter>> made;
    for (const row& r : read_table("intl_dates.tsv")) {
        const std::string& styles = r.at(1);
        auto& f = made[r.at(0) + styles + r.at(2)];
        if (!f) {
            const std::size_t slash = styles.find('/');
            f = date_time_formatter::create(r[0], time_zone::load(r[2]),
                                            style_of(styles.substr(0, slash)),
                                            style_of(styles.substr(slash + 1)));
        }
        exportd::rows::byte_buffer out;
        f->append(out, micros_of(r.at(3)));
        known.compare(r[0], styles, r, out.view());
    }
}
