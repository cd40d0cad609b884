#include <exportd/reports/quarterly_report.hpp>
#include <exportd/reports/report_json.hpp>
#include <exportd/reports/report_maker.hpp>
#include <exportd/reports/report_pdf.hpp>
#include <exportd/sql/session.hpp>

#include <stdexcept>

namespace exportd::reports {
namespace {

made_report ended(made_report::end how, const std::exception& why) {
    made_report m;
    m.how = how;
    m.cause = why.what();
    return m;
}

sql::session_options options_of(const report_database& database) {
    sql::session_options o;
    o.url = database.url;
    o.application_name = "exportd-report";
    o.connect_timeout = database.connect_timeout;
    o.statement_timeout = database.statement_timeout;
    return o;
}

}  // namespace

made_report make_report_document(const report_database& database, const report_request& wanted,
                                 report_form form, const std::stop_token& stop) {
    try {
        sql::session session{options_of(database)};
        const auto r = make_report(wanted, session, stop);
        made_report m;
        m.orders = r.rows;
        m.body = form == report_form::pdf ? to_pdf(r, stop) : to_json(r);
        return m;
    } catch (const sql::interrupted& e) {
        return ended(made_report::end::stopped, e);
    } catch (const sql::connection_error& e) {
        return ended(made_report::end::unavailable, e);
    } catch (const sql::error& e) {
        constexpr std::string_view cancelled = "57014";
        return ended(
            e.sqlstate() == cancelled ? made_report::end::too_slow : made_report::end::failed, e);
    } catch (const std::invalid_argument& e) {
        return ended(made_report::end::failed, e);
    }
}

}  // namespace exportd::reports
