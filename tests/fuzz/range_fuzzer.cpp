// Any Range and conditional fields: the selected bytes are bytes of the file.
#include <fuzzer/FuzzedDataProvider.h>
#include <http/range_request.hpp>

#include "check.hpp"

using namespace exportd;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    FuzzedDataProvider in{data, size};
    http::file_version file;
    file.etag = "\"a-1\"";
    file.size = in.ConsumeBool() ? in.ConsumeIntegral<std::uint64_t>() : 1000;
    if (in.ConsumeBool())
        file.modified = std::chrono::sys_seconds{std::chrono::seconds{1'759'000'000}};
    http::request r;
    r.method = in.ConsumeBool() ? "GET" : "HEAD";
    for (auto* field : {&r.range, &r.if_range, &r.if_none_match, &r.if_match, &r.if_modified_since,
                        &r.if_unmodified_since})
        *field = in.ConsumeRandomLengthString();
    const auto selected = http::select_range(r, file);
    if (selected.what == http::selection::part) {
        fuzz::check(r.method == "GET", "ranges are for GET");
        fuzz::check(selected.length > 0 && selected.first < file.size, "it begins in the file");
        fuzz::check(selected.length <= file.size - selected.first, "it ends in the file");
    }
    if (selected.what == http::selection::whole)
        fuzz::check(selected.first == 0 && selected.length == file.size, "the whole file");
    return 0;
}
