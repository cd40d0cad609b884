#include <exportd/access/audit_log.hpp>

#include "audit_words.hpp"
#include <stdexcept>

namespace exportd::access {
namespace {

observe::event to_event(const audit_record& r) {
    observe::event e{observe::level::info, "audit"};
    const auto add = [&e](std::string_view key, const std::string& value) {
        if (!value.empty()) e.with(key, value);
    };
    e.with("phase", name_of(r.what)).with("attempt", r.attempt).with("action", r.action);
    add("who", r.who);
    add("client", r.from);
    add("request_id", r.request_id);
    add("export", r.export_name);
    add("subject", r.subject);
    if (r.range_from) e.with("from", time_text(*r.range_from));
    if (r.range_to) e.with("to", time_text(*r.range_to));
    add("options", r.options);
    add("outcome", r.outcome);
    add("code", r.code);
    if (r.what == audit_record::phase::end) {
        e.with("rows", r.rows).with("bytes", r.bytes).with("duration_ms", r.duration.count());
    }
    return e;
}

}  // namespace

void audit_log::write(const audit_record& r) {
    const auto& options = to_.options();
    const auto line = observe::format_event(to_event(r), options.now(), options.format) + '\n';
    if (!to_.lines().write(line)) throw std::runtime_error{"the log does not take the line"};
}

void audit_log::hurry() noexcept {
    to_.lines().give_up_at(observe::line_writer::clock::now());
}

}  // namespace exportd::access
