#include "s3_xml.hpp"

#include <exportd/jobs/file_store.hpp>
#include <exportd/jobs/markup.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <pugixml.hpp>

namespace exportd::jobs {

namespace {

[[noreturn]] void not_understood() {
    throw store_error{"the object store's answer is not understood"};
}

bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

pugi::xml_node root_of(const pugi::xml_document& document, const char* name) {
    const pugi::xml_node root = document.child(name);
    if (!root) not_understood();
    return root;
}

void parse(pugi::xml_document& document, const std::string& text) {
    if (!document.load_buffer(text.data(), text.size())) not_understood();
}

bool is_truncated(const pugi::xml_node& root) {
    return std::string_view{root.child_value("IsTruncated")} == "true";
}

// What stands at `at` in `text`, `digits` long.
int number_at(std::string_view text, std::size_t at, std::size_t digits) {
    if (text.size() < at + digits) not_understood();
    int value = 0;
    const char* first = text.data() + at;
    const auto [end, error] = std::from_chars(first, first + digits, value);
    if (error != std::errc{} || end != first + digits || value < 0) not_understood();
    return value;
}

}  // namespace

std::string s3_error_code(const std::string& text) {
    pugi::xml_document document;
    if (!document.load_buffer(text.data(), text.size())) return {};
    const std::string code = document.child("Error").child_value("Code");
    if (code.size() > 64 || !std::all_of(code.begin(), code.end(), is_letter)) return {};
    return code;
}

std::string s3_upload_id(const std::string& text) {
    pugi::xml_document document;
    parse(document, text);
    std::string id = root_of(document, "InitiateMultipartUploadResult").child_value("UploadId");
    if (id.empty()) not_understood();
    return id;
}

std::string s3_complete_body(const std::vector<std::string>& etags) {
    std::string body =
        "<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">";
    int number = 0;
    for (const std::string& etag : etags) {
        body += fmt::format("<Part><PartNumber>{}</PartNumber><ETag>", ++number);
        body += escaped_markup(etag);
        body += "</ETag></Part>";
    }
    body += "</CompleteMultipartUpload>";
    return body;
}

s3_object_page s3_objects(const std::string& text) {
    pugi::xml_document document;
    parse(document, text);
    const pugi::xml_node root = root_of(document, "ListBucketResult");
    s3_object_page page;
    for (const pugi::xml_node& each : root.children("Contents")) {
        page.objects.push_back(
            {each.child_value("Key"), s3_instant(each.child_value("LastModified"))});
    }
    if (is_truncated(root)) {
        page.next = root.child_value("NextContinuationToken");
        if (page.next.empty()) not_understood();
    }
    return page;
}

s3_upload_page s3_uploads(const std::string& text) {
    pugi::xml_document document;
    parse(document, text);
    const pugi::xml_node root = root_of(document, "ListMultipartUploadsResult");
    s3_upload_page page;
    for (const pugi::xml_node& each : root.children("Upload")) {
        page.uploads.push_back({each.child_value("Key"), each.child_value("UploadId"),
                                s3_instant(each.child_value("Initiated"))});
    }
    if (is_truncated(root)) {
        page.next_key = root.child_value("NextKeyMarker");
        page.next_id = root.child_value("NextUploadIdMarker");
        if (page.next_key.empty()) not_understood();
    }
    return page;
}

s3_part_page s3_parts(const std::string& text) {
    pugi::xml_document document;
    parse(document, text);
    const pugi::xml_node root = root_of(document, "ListPartsResult");
    s3_part_page page;
    for (const pugi::xml_node& each : root.children("Part")) {
        const auto modified = s3_instant(each.child_value("LastModified"));
        page.latest = std::max(page.latest.value_or(modified), modified);
    }
    if (is_truncated(root)) {
        page.next = root.child_value("NextPartNumberMarker");
        if (page.next.empty()) not_understood();
    }
    return page;
}

std::chrono::sys_seconds s3_instant(std::string_view text) {
    using namespace std::chrono;
    const year_month_day date{year{number_at(text, 0, 4)},
                              month{static_cast<unsigned>(number_at(text, 5, 2))},
                              day{static_cast<unsigned>(number_at(text, 8, 2))}};
    if (!date.ok() || text.size() < 20 || text[4] != '-' || text[7] != '-' || text[10] != 'T' ||
        text[13] != ':' || text[16] != ':' || text.back() != 'Z')
        not_understood();
    return sys_days{date} + hours{number_at(text, 11, 2)} + minutes{number_at(text, 14, 2)} +
           seconds{number_at(text, 17, 2)};
}

}  // namespace exportd::jobs
