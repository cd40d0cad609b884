#include <exportd/exports/definition.hpp>

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <iterator>
#include <set>
#include <stdexcept>
#include <string_view>

namespace exportd::exports {
namespace {

constexpr std::array<std::pair<std::string_view, column_format>, 7> formats{{
    {"text", column_format::text},
    {"plain", column_format::plain},
    {"number", column_format::number},
    {"money", column_format::money},
    {"date_time", column_format::date_time},
    {"date", column_format::date},
    {"time", column_format::time},
}};

constexpr std::array<std::string_view, 5> styles{"none", "short", "medium", "long", "full"};

// One table of the file, read key by key; what nobody asked for is an error in the end.
class table_reader {
public:
    table_reader(const std::filesystem::path& file, const toml::table& table)
        : file_{file}, table_{table} {}

    [[noreturn]] void fail(const toml::node& node, std::string_view message) const {
        throw std::runtime_error{
            fmt::format("{}:{}: {}", file_.string(), node.source().begin.line, message)};
    }

    template <class T>
    std::optional<T> optional(std::string_view key, std::string_view expected) {
        known_.insert(std::string{key});
        const auto* node = table_.get(key);
        if (node == nullptr) return std::nullopt;
        auto value = node->value_exact<T>();
        if (!value) fail(*node, fmt::format("{} has to be {}", key, expected));
        return value;
    }

    std::string text(std::string_view key, std::string fallback) {
        auto value = optional<std::string>(key, "a string");
        if (value && value->empty()) fail(*table_.get(key), fmt::format("{} is empty", key));
        return value ? *value : std::move(fallback);
    }

    std::string required_text(std::string_view key) {
        if (table_.get(key) == nullptr) fail(table_, fmt::format("{} is missing", key));
        return text(key, {});
    }

    const toml::node* node(std::string_view key) {
        known_.insert(std::string{key});
        return table_.get(key);
    }

    void refuse_unknown_keys() const {
        for (const auto& [key, node] : table_) {
            if (!known_.contains(std::string{key.str()})) {
                fail(node, fmt::format("unknown key {}", key.str()));
            }
        }
    }

private:
    const std::filesystem::path& file_;
    const toml::table& table_;
    std::set<std::string> known_;
};

std::string read_file(const std::filesystem::path& path) {
    std::ifstream in{path, std::ios::binary};
    if (!in) throw std::runtime_error{fmt::format("{}: cannot be read", path.string())};
    return {std::istreambuf_iterator<char>{in}, {}};
}

// PostgreSQL's DECLARE takes one statement without its semicolon.
std::string statement(const std::filesystem::path& path) {
    std::string sql = read_file(path);
    const auto last = sql.find_last_not_of(" \t\r\n;");
    if (last == std::string::npos) {
        throw std::runtime_error{fmt::format("{}: holds no statement", path.string())};
    }
    sql.resize(last + 1);
    return sql;
}

std::string style(table_reader& reader, std::string_view key, std::string fallback) {
    auto value = reader.text(key, std::move(fallback));
    if (std::find(styles.begin(), styles.end(), value) == styles.end()) {
        reader.fail(*reader.node(key),
                    fmt::format("{} is one of none, short, medium, long, full", key));
    }
    return value;
}

column_definition read_column(const std::filesystem::path& file, const toml::table& table) {
    table_reader reader{file, table};
    column_definition column;
    column.name = reader.required_text("name");
    column.heading = reader.text("heading", column.name);
    if (const auto name = reader.optional<std::string>("format", "a string")) {
        const auto* found = std::find_if(formats.begin(), formats.end(),
                                         [&](const auto& entry) { return entry.first == *name; });
        if (found == formats.end()) {
            reader.fail(*reader.node("format"),
                        "format is one of text, plain, number, money, date_time, date, time");
        }
        column.format = found->second;
    }
    column.currency = reader.text("currency", {});
    if ((column.format == column_format::money) == column.currency.empty()) {
        reader.fail(table, fmt::format("column {}: format \"money\" and currency go together",
                                       column.name));
    }
    if (const auto decimals = reader.optional<std::int64_t>("decimals", "a number")) {
        if (*decimals < 0 || *decimals > 20)
            reader.fail(*reader.node("decimals"), "decimals is 0 to 20");
        column.decimals = static_cast<int>(*decimals);
    }
    column.date_style =
        style(reader, "date_style", column.format == column_format::time ? "none" : "short");
    column.time_style =
        style(reader, "time_style", column.format == column_format::date ? "none" : "medium");
    if (column.date_style == "none" && column.time_style == "none") {
        reader.fail(table,
                    fmt::format("column {}: date_style and time_style are both none", column.name));
    }
    reader.refuse_unknown_keys();
    return column;
}

std::vector<column_definition> read_columns(table_reader& reader,
                                            const std::filesystem::path& file) {
    std::vector<column_definition> columns;
    const auto* node = reader.node("columns");
    if (node == nullptr) return columns;
    const auto* list = node->as_array();
    if (list == nullptr || list->empty())
        reader.fail(*node, "columns is a list of [[columns]] tables");
    for (const auto& entry : *list) {
        const auto* table = entry.as_table();
        if (table == nullptr) reader.fail(entry, "columns is a list of [[columns]] tables");
        columns.push_back(read_column(file, *table));
    }
    return columns;
}

std::chrono::days read_days(table_reader& reader, std::string_view key,
                            std::chrono::days fallback) {
    const auto text = reader.optional<std::string>(key, "a number of days such as \"366d\"");
    if (!text) return fallback;
    std::int32_t days = 0;
    const char* end = text->data() + text->size();
    const auto [rest, ec] = std::from_chars(text->data(), end, days);
    if (ec != std::errc{} || rest + 1 != end || *rest != 'd' || days < 1 || days > 36'525) {
        reader.fail(*reader.node(key),
                    fmt::format("{} has to be 1 to 36525 days, such as \"366d\"", key));
    }
    return std::chrono::days{days};
}

std::optional<report_definition> read_report(table_reader& reader,
                                             const std::filesystem::path& file) {
    const auto* node = reader.node("report");
    if (node == nullptr) return std::nullopt;
    const auto* table = node->as_table();
    if (table == nullptr) reader.fail(*node, "report is a [report] table");
    table_reader own{file, *table};
    report_definition report;
    report.amount = own.required_text("amount");
    report.currency = own.required_text("currency");
    report.time = own.required_text("time");
    report.customer = own.required_text("customer");
    report.history = read_days(own, "history", report.history);
    own.refuse_unknown_keys();
    return report;
}

bool is_path_segment(std::string_view name) {
    constexpr std::string_view allowed = "abcdefghijklmnopqrstuvwxyz0123456789-_";
    return !name.empty() && name.size() <= 64 && name.find_first_not_of(allowed) == name.npos &&
           name.front() != '-' && name != "receipts" && name != "quarterly-report";
}

bool is_file_stem(std::string_view name) {
    return !name.empty() && name.size() <= 100 && name.front() != '.' &&
           std::all_of(name.begin(), name.end(), [](char c) {
               return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      c == '-' || c == '_' || c == '.';
           });
}

toml::table parse(const std::filesystem::path& file) {
    try {
        return toml::parse(read_file(file), file.string());
    } catch (const toml::parse_error& e) {
        throw std::runtime_error{
            fmt::format("{}:{}: {}", file.string(), e.source().begin.line, e.description())};
    }
}

}  // namespace

definition read_definition(const std::filesystem::path& file,
                           const std::filesystem::path& sql_directory) {
    const auto table = parse(file);
    table_reader reader{file, table};
    definition d;
    d.name = file.stem().string();
    if (!is_path_segment(d.name)) {
        throw std::runtime_error{fmt::format(
            "{}: an export's name is made of a-z, 0-9, - and _, and is not a reserved one",
            file.string())};
    }
    d.title = reader.text("title", d.name);
    d.sql = statement(sql_directory / reader.text("sql", d.name + ".sql"));
    d.locale = reader.text("locale", d.locale);
    d.time_zone = reader.text("time_zone", d.time_zone);
    d.max_range = read_days(reader, "max_range", d.max_range);
    d.formula_guard = reader.optional<bool>("formula_guard", "true or false").value_or(true);
    d.filename = reader.text("filename", d.name);
    if (!is_file_stem(d.filename)) {
        reader.fail(*reader.node("filename"), "filename is made of letters, digits, - _ and .");
    }
    if (const auto limit = reader.optional<std::int64_t>("stream_row_limit", "a number")) {
        if (*limit < 0)
            reader.fail(*reader.node("stream_row_limit"), "stream_row_limit is 0 or more");
        d.stream_row_limit = static_cast<std::uint64_t>(*limit);
    }
    d.columns = read_columns(reader, file);
    d.report = read_report(reader, file);
    reader.refuse_unknown_keys();
    return d;
}

}  // namespace exportd::exports
