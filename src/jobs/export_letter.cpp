#include <exportd/jobs/export_letter.hpp>
#include <exportd/jobs/markup.hpp>

#include <fmt/format.h>

#include "letter_text.hpp"
#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

namespace exportd::jobs {

namespace {

using facts_table = std::vector<std::pair<std::string, std::string>>;

// Outlook lays HTML out with Word: tables and inline styles, nothing else, are sure to work there.
std::string html_page(const std::string& title, const std::string& body) {
    return fmt::format(
        "<!DOCTYPE html>\n"
        "<html lang=\"en\">\n"
        "<head><meta charset=\"utf-8\"><title>{0}</title></head>\n"
        "<body style=\"margin:0;padding:24px;font-family:Arial,Helvetica,sans-serif;font-size:15px;"
        "line-height:1.5;color:#1a1a1a;background-color:#ffffff\">\n"
        "<p style=\"margin:0 0 16px 0;font-size:19px;font-weight:bold\">{0}</p>\n"
        "{1}"
        "</body>\n</html>\n",
        escaped_markup(title), body);
}

std::string html_table(const facts_table& rows) {
    std::string out =
        "<table cellpadding=\"0\" cellspacing=\"0\" border=\"0\" style=\"margin:0 0 16px 0\">\n";
    for (const auto& [name, value] : rows) {
        out += fmt::format(
            "<tr><td style=\"padding:2px 16px 2px 0;color:#595959\">{}</td>"
            "<td style=\"padding:2px 0\">{}</td></tr>\n",
            escaped_markup(name), escaped_markup(value));
    }
    return out + "</table>\n";
}

std::string html_paragraph(const std::string& text) {
    return "<p style=\"margin:0 0 16px 0\">" + escaped_markup(text) + "</p>\n";
}

std::string html_small_print(const std::string& text) {
    return "<p style=\"margin:16px 0 0 0;font-size:13px;color:#595959\">" + escaped_markup(text) +
           "</p>\n";
}

std::string html_button(const std::string& link, const std::string& label) {
    return fmt::format(
        "<table cellpadding=\"0\" cellspacing=\"0\" border=\"0\" style=\"margin:0 0 16px 0\"><tr>"
        "<td style=\"background-color:#1f4e79;padding:10px 20px\">"
        "<a href=\"{0}\" style=\"color:#ffffff;text-decoration:none;font-weight:bold\">{1}</a>"
        "</td></tr></table>\n"
        "<p style=\"margin:0 0 16px 0;font-size:13px\">If the button does not work, copy this "
        "address into your browser:<br><a href=\"{0}\" style=\"color:#1f4e79\">{0}</a></p>\n",
        escaped_markup(link), escaped_markup(label));
}

std::string plain_table(const facts_table& rows) {
    std::size_t widest = 0;
    for (const auto& row : rows)
        widest = std::max(widest, row.first.size());
    std::string out;
    for (const auto& [name, value] : rows)
        out += fmt::format("  {:<{}}  {}\n", name + ":", widest + 1, value);
    return out;
}

std::string small_print(const export_facts& facts) {
    return "You get this letter because you asked for this export. Nobody reads answers to it. "
           "If you need help, please name job " +
           facts.job_id + ".";
}

// What happened, and what the reader can do.
std::string reason_text(std::string_view code) {
    constexpr std::pair<std::string_view, std::string_view> known[] = {
        {"query_failed",
         "The database could not answer the request. Trying again will probably not help: please "
         "tell your support team."},
        {"database_unavailable",
         "The database could not be reached, even after several attempts. Please ask for the "
         "export again later."},
        {"first_row_timeout",
         "The database took too long to begin. Please try again at a quieter time, or ask for a "
         "shorter period."},
        {"export_deadline", "The export took longer than it may. Please ask for a shorter period."},
        {"too_many_rows",
         "There are more rows in this period than one file may have. Please ask for a shorter "
         "period."},
        {"store_full",
         "There was no room left to keep the file. Your support team has to make some before you "
         "ask for the export again."},
        {"store_unavailable",
         "The file could not be kept: our storage did not do its work. Please ask for the export "
         "again later."},
        {"progress_timeout",
         "The database fell silent, even after several attempts. Please ask for the export again "
         "later."},
        {"unsupported_type", "This export is not set up correctly. Please tell your support team."},
        {"gave_up",
         "It was begun several times and broke off each time. Please ask for the export again "
         "later."},
    };
    const auto* found = std::find_if(std::begin(known), std::end(known),
                                     [&](const auto& each) { return each.first == code; });
    if (found != std::end(known)) return std::string{found->second};
    return "Something went wrong on our side. Please ask for the export again later.";
}

}  // namespace

letter finished_letter(const export_facts& facts, const finished_export& done) {
    const std::string period = period_text(facts.from, facts.to);
    const std::string until = instant_text(done.expires, done.utc_offset, done.zone);
    const std::string title = "Your export is ready: " + facts.title;
    const facts_table table{{"Export", facts.title},
                            {"Period", period},
                            {"Rows", count_text(done.rows)},
                            {"File size", bytes_text(done.bytes)},
                            {"Available until", until}};
    const std::string lasting =
        "The link works until then, as often as you like. Afterwards the file is deleted, and you "
        "can ask for it again.";

    letter l;
    l.subject = title + ", " + period;
    l.plain = fmt::format(
        "Hello,\n\nthe export that you asked for is ready.\n\n{}\nDownload it here:\n\n{}\n\n{}\n\n"
        "{}\n",
        plain_table(table), done.link, lasting, small_print(facts));
    l.html = html_page(title, html_paragraph("Hello, the export that you asked for is ready.") +
                                  html_table(table) + html_button(done.link, "Download the file") +
                                  html_paragraph(lasting) + html_small_print(small_print(facts)));
    return l;
}

letter failed_letter(const export_facts& facts, const std::string& code) {
    const std::string period = period_text(facts.from, facts.to);
    const std::string title = "Your export could not be made: " + facts.title;
    const std::string reason = reason_text(code);
    const std::string nothing = "No file was made, so there is nothing incomplete to download.";
    const facts_table table{{"Export", facts.title}, {"Period", period}};

    letter l;
    l.subject = title + ", " + period;
    l.plain = fmt::format(
        "Hello,\n\nwe are sorry: the export that you asked for could not be made.\n\n{}\n{}\n\n{}"
        "\n\n{}\n",
        plain_table(table), reason, nothing, small_print(facts));
    l.html = html_page(
        title,
        html_paragraph("Hello, we are sorry: the export that you asked for could not be made.") +
            html_table(table) + html_paragraph(reason) + html_paragraph(nothing) +
            html_small_print(small_print(facts)));
    return l;
}

}  // namespace exportd::jobs
