#include "file_head.hpp"

#include <exportd/exports/digest_sink.hpp>

#include <fmt/format.h>

#include "http_date.hpp"
#include "job_json.hpp"

namespace exportd::http {
namespace {

using jobs::job_state;

problem make(unsigned status, std::string_view code, std::string_view detail) {
    auto p = bad_request(code, detail);
    p.status = status;
    return p;
}

int value_of(char hex) {
    return hex <= '9' ? hex - '0' : hex - 'a' + 10;
}

// Of lower-case hex.
std::string to_bytes(std::string_view hex) {
    std::string bytes;
    for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
        bytes += static_cast<char>(value_of(hex[i]) * 16 + value_of(hex[i + 1]));
    return bytes;
}

// What every answer about the file says, 304 too.
std::vector<header_field> validators_of(const jobs::job& j) {
    const auto version = version_of(j);
    std::vector<header_field> fields{{"ETag", version.etag}, {"Accept-Ranges", "bytes"}};
    if (version.modified) fields.push_back({"Last-Modified", to_http_date(*version.modified)});
    return fields;
}

}  // namespace

file_version version_of(const jobs::job& j) {
    file_version v;
    v.etag = '"' + j.sha256.value_or(j.id) + '"';
    v.size = j.bytes;
    if (j.finished_at) v.modified = std::chrono::floor<std::chrono::seconds>(*j.finished_at);
    return v;
}

stream_head file_head(const jobs::job& j, const exports::catalog_entry* entry,
                      const selected_range& part) {
    stream_head h;
    h.content_length = part.length;
    h.content_type = "text/csv; charset=utf-8; header=present";
    h.fields = validators_of(j);
    if (part.what == selection::part) {
        h.status = 206;
        h.fields.push_back({"Content-Range", fmt::format("bytes {}-{}/{}", part.first,
                                                         part.first + part.length - 1, j.bytes)});
    }
    h.fields.push_back({"Content-Disposition",
                        fmt::format("attachment; filename=\"{}\"", file_name_of(j, entry))});
    // RFC 9530 section 3: of the whole file, also with a part of it.
    if (j.sha256) {
        h.fields.push_back(
            {"Repr-Digest", "sha-256=:" + exports::to_base64(to_bytes(*j.sha256)) + ":"});
    }
    h.fields.push_back({"X-Accel-Buffering", "no"});
    h.fields.push_back({"Export-Rows", std::to_string(j.rows)});
    h.fields.push_back({"Export-Range", exports::to_rfc3339(j.asked.range.from) + "/" +
                                            exports::to_rfc3339(j.asked.range.to)});
    return h;
}

std::optional<response> answer_without_file(const jobs::job& j, const selected_range& part,
                                            const request& r) {
    response answer;
    switch (part.what) {
        case selection::whole:
        case selection::part:
            return std::nullopt;
        case selection::not_modified:
            answer.status = 304;
            answer.fields = validators_of(j);
            break;
        case selection::precondition_failed:
            answer = to_response(make(412, "precondition_failed",
                                      "The file is not the one that If-Match or "
                                      "If-Unmodified-Since asks for."),
                                 r.request_id);
            break;
        case selection::unsatisfiable:
            answer = to_response(
                make(416, "range_not_satisfiable",
                     fmt::format("The range begins behind the file's end; it has {} bytes.",
                                 j.bytes)),
                r.request_id);
            answer.fields.push_back({"Content-Range", fmt::format("bytes */{}", j.bytes)});
            break;
    }
    return answer;
}

std::optional<problem> why_no_file(const jobs::job& j, exports::instant now) {
    switch (j.state) {
        case job_state::complete:
            return std::nullopt;
        case job_state::queued:
        case job_state::running: {
            auto p = make(409, "not_ready", "The export is not finished yet; try again soon.");
            p.retry_after = poll_after(j, now);
            return p;
        }
        case job_state::failed: {
            const auto code = j.code.value_or("internal_error");
            return make(409, code, failure_text(code));
        }
        case job_state::cancelled:
        case job_state::expired:
            break;
    }
    return file_gone();
}

problem file_gone() {
    return make(410, "expired", "The file of this export is deleted; ask for the export again.");
}

}  // namespace exportd::http
