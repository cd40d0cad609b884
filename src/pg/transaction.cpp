#include <exportd/pg/transaction.hpp>

#include <algorithm>
#include <limits>

namespace exportd::pg {

namespace {

constexpr int has_connection_check = 140000;  // the first server_version with the setting
constexpr std::size_t name_bytes = 63;
constexpr std::chrono::milliseconds idle_margin{60'000};

std::string milliseconds_text(std::chrono::milliseconds value) {
    return std::to_string(std::min<long long>(value.count(), std::numeric_limits<int>::max()));
}

}  // namespace

std::string cut_utf8(std::string text, std::size_t bytes) {
    if (text.size() <= bytes) return text;
    while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xC0) == 0x80)
        --bytes;
    text.resize(bytes);
    return text;
}

void begin_transaction(connection& on, const rows::query& q) {
    // The reader's pauses are the service's to bound, so they end no transaction before the
    // query's own deadline does.
    const auto idle =
        q.total_timeout.count() == 0 ? q.total_timeout : q.total_timeout + idle_margin;
    std::string set =
        "SELECT set_config('cursor_tuple_fraction','1',true),"
        "set_config('TimeZone','UTC',true),"
        "set_config('standard_conforming_strings','on',true),"
        "set_config('statement_timeout',$1,true),"
        "set_config('idle_in_transaction_session_timeout',$2,true),"
        "set_config('application_name',$3,true)";
    if (on.server_version() >= has_connection_check) {
        set += ",set_config('client_connection_check_interval','1000',true)";
    }
    on.send("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    on.send(set, {milliseconds_text(q.total_timeout), milliseconds_text(idle),
                  cut_utf8(q.tag, name_bytes)});
}

connection::parameter_types parameter_types_of(const rows::query& q) {
    constexpr unsigned timestamptz = 1184;  // pg_type.dat
    if (q.parameter_kind != rows::value_kind::timestamptz) return {};
    return connection::parameter_types(q.parameters.size(), timestamptz);
}

std::string declare_statement(const std::string& sql) {
    return "DECLARE c NO SCROLL CURSOR FOR\n" + sql;
}

std::string count_statement(const std::string& sql, std::uint64_t at_most) {
    const auto limit = std::min<std::uint64_t>(
        at_most, static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()));
    // The line ends keep a comment at the end of the query from swallowing what follows it.
    return "SELECT count(*) FROM (SELECT 1 FROM (\n" + sql + "\n) AS q LIMIT " +
           std::to_string(limit) + ") AS n";
}

}  // namespace exportd::pg
