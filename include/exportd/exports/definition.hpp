#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace exportd::exports {

// How the values of a column are written when the caller wants them formatted.
enum class column_format {
    automatic,  // by the type: text as it is, date-times in the locale, numbers plain
    text,
    plain,   // numbers as stored, other types as with values=raw
    number,  // grouped and with the locale's signs
    money,   // an amount whose currency is in another column
    date_time,
    date,
    time,
};

struct column_definition {
    std::string name;     // a column of the query
    std::string heading;  // in the header row
    column_format format = column_format::automatic;
    std::string currency;         // money: the column with the ISO 4217 code
    std::optional<int> decimals;  // number: fixed fraction digits; else those of the value
    std::string date_style = "short";
    std::string time_style = "medium";
};

// What the [report] table says: the columns of the query that a report is made of.
struct report_definition {
    std::string amount;    // numeric or an integer
    std::string currency;  // the ISO 4217 code
    std::string time;      // timestamptz, timestamp or date; what $1 and $2 select by
    std::string customer;  // tells customers apart, such as an e-mail address
    // How far back earlier orders of a customer are looked for.
    std::chrono::days history{3'653};
};

// One export, as its file in the configuration describes it. A plain value.
struct definition {
    std::string name;  // in the path: /exports/{name}.csv
    std::string title;
    std::string sql;  // one statement; $1 and $2 are the range's ends, timestamptz
    std::string locale = "en-GB";
    std::string time_zone = "Europe/London";
    std::chrono::days max_range{366};
    bool formula_guard = true;
    std::string filename;                           // stem of the download's name
    std::optional<std::uint64_t> stream_row_limit;  // instead of the service's; 0: none
    std::vector<column_definition> columns;         // empty: all of the query
    std::optional<report_definition> report;        // none: no report can be made of it
};

// Reads NAME.toml and the SQL file that it names. Throws std::runtime_error whose text names
// the file, the line and the key: an unknown key, a missing one, a bad value, a name that can't
// be part of a path. Reads files, so never on the loop thread.
definition read_definition(const std::filesystem::path& file,
                           const std::filesystem::path& sql_directory);

}  // namespace exportd::exports
