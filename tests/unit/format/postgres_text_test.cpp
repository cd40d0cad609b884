// The oracle is a PostgreSQL server: it sends values as bytes, and what it prints them as.
#include <exportd/format/iso.hpp>

#include <catch.hpp>
#include <cstdlib>
#include <libpq-fe.h>
#include <memory>
#include <string>

using namespace exportd::format;

namespace {

using append_function = bool (*)(exportd::rows::byte_buffer&, std::string_view);
using result = std::unique_ptr<PGresult, decltype(&PQclear)>;

class server {
public:
    server() : connection_(PQconnectdb(url().c_str()), &PQfinish) {
        INFO(PQerrorMessage(connection_.get()));
        REQUIRE(PQstatus(connection_.get()) == CONNECTION_OK);
        for (const auto* setting : {"SET TimeZone = 'UTC'", "SET IntervalStyle = 'iso_8601'",
                                    "SET extra_float_digits = 1"}) {
            result(PQexec(connection_.get(), setting), &PQclear);
        }
    }

    // `from` gives one column v; `shown` is what the text of v is to be.
    void compare(append_function append, const std::string& from,
                 const std::string& shown = "v::text") {
        const auto bytes = query("SELECT v FROM (" + from + ") AS q ORDER BY ordinal", 1);
        const auto texts =
            query("SELECT " + shown + " FROM (" + from + ") AS q ORDER BY ordinal", 0);
        REQUIRE(PQntuples(bytes.get()) > 0);
        REQUIRE(PQntuples(bytes.get()) == PQntuples(texts.get()));
        for (int i = 0; i < PQntuples(bytes.get()); ++i) {
            exportd::rows::byte_buffer out;
            const std::string_view cell(PQgetvalue(bytes.get(), i, 0),
                                        static_cast<std::size_t>(PQgetlength(bytes.get(), i, 0)));
            const std::string expected = PQgetvalue(texts.get(), i, 0);
            const bool ok = append(out, cell);
            if (!ok || out.view() != expected) {
                CHECK(ok);
                CHECK(out.view() == expected);
            }
        }
    }

private:
    static std::string url() {
        const char* configured = std::getenv("EXPORTD_TEST_DATABASE_URL");
        INFO("EXPORTD_TEST_DATABASE_URL has to be the URL of a PostgreSQL server for tests");
        REQUIRE(configured != nullptr);
        return configured;
    }

    result query(const std::string& sql, int format) {
        result r(PQexecParams(connection_.get(), sql.c_str(), 0, nullptr, nullptr, nullptr, nullptr,
                              format),
                 &PQclear);
        INFO(sql << ": " << PQerrorMessage(connection_.get()));
        REQUIRE(PQresultStatus(r.get()) == PGRES_TUPLES_OK);
        return r;
    }

    std::unique_ptr<PGconn, decltype(&PQfinish)> connection_;
};

// `n` values that depend on nothing but their number: md5 as a generator.
std::string generated(int n, const std::string& expression) {
    return "SELECT i AS ordinal, " + expression +
           " AS v FROM (SELECT i, ('x' || substr(md5(i::text), 1, 16))"
           "::bit(64)::bigint AS r FROM generate_series(1, " +
           std::to_string(n) + ") AS i) AS g";
}

std::string listed(const std::string& values, const std::string& type) {
    return "SELECT ordinal, t::" + type + " AS v FROM unnest(ARRAY[" + values +
           "]) WITH ORDINALITY AS u(t, ordinal)";
}

}  // namespace

TEST_CASE("stored values are the texts of the server", "[format][postgres]") {
    server pg;
    const std::string floats =
        "'0','-0','1','-1.5','1e15','1e14','999999999999999','123456789012345680','1e20','1e-4','"
        "1e-5',"
        "'1e-7','1e22','1e23','5e-324','1.7976931348623157e308','2.2250738585072014e-308','NaN','"
        "Infinity',"
        "'-Infinity','0.3','9007199254740993','4503599627370496.5','72057594037927936','1e-300'";
    pg.compare(append_float8, listed(floats, "float8"));
    pg.compare(append_float8, generated(3000, "(r::float8 * 10.0 ^ (abs(r) % 300 - 160))"));
    pg.compare(append_float8, generated(300, "(2.0::float8 ^ (i - 150))"));
    pg.compare(append_float8, generated(600, "(('1e' || (i - 300))::float8)"));
    pg.compare(append_float4,
               listed("'0','-0','0.1','1e6','123456','999999','1e-4','1e-5','1e-45',"
                      "'3.4028235e38','16777216','NaN','-Infinity','33554432','8589934592'",
                      "float4"));
    pg.compare(append_float4,
               generated(3000, "(r::float8 / 9e18 * 10.0 ^ (abs(r) % 60 - 30))::float4"));
    pg.compare(append_float4, generated(266, "(2.0::float8 ^ (i - 140))::float4"));
    pg.compare(append_numeric,
               listed("'0','0.00','-1.50','NaN','Infinity','-Infinity','1e-20','1e30','-0.0001',"
                      "'10000.0001','123456789012345678901234567890.12345678901234567890'",
                      "numeric"));
    pg.compare(append_numeric, generated(1000, "(r::numeric * r / (10::numeric ^ (abs(r) % 40)))"));
    pg.compare(append_integer, generated(100, "r"));
    pg.compare(append_uuid, generated(20, "md5(r::text)::uuid"));
    pg.compare(append_bytea, generated(20, "decode(md5(r::text), 'hex')"));
    // A server that is asked for ISO durations prints them as we do.
    pg.compare(append_iso_interval,
               listed("'1 year 2 mons 3 days 04:05:06.5','-1 days 2 hours','-00:00:00.5','0',"
                      "'-13 mons','1 year -1 mon -25:00:01','2562047788:00:54.775807'",
                      "interval"));
    pg.compare(append_iso_interval, generated(200,
                                              "make_interval(months => (r % 1000)::int, days => "
                                              "(r % 77)::int, secs => (r % 1000000) / 7.0)"));
}

TEST_CASE("dates and instants are the server's", "[format][postgres]") {
    server pg;
    const std::string expanded =
        "(CASE WHEN isfinite(v) THEN to_char(v, 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"') "
        "ELSE v::text END)";
    pg.compare(append_iso_timestamptz,
               generated(1000,
                         "('0001-01-01'::timestamptz + (abs(r) % 315000000000) * '1 s'::interval + "
                         "(r % 1000) * '1 us'::interval)"),
               expanded);
    pg.compare(
        append_iso_timestamptz,
        listed("'infinity','-infinity','9999-12-31 23:59:59.999999','0001-01-01'", "timestamptz"),
        expanded);
    pg.compare(append_iso_date, generated(1000, "('0001-01-01'::date + (abs(r) % 3652059)::int)"));
    pg.compare(append_iso_time,
               generated(200, "('00:00'::time + (abs(r) % 86400000000) * '1 us'::interval)"),
               "to_char(v, 'HH24:MI:SS.US')");
}
