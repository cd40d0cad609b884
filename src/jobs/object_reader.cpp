#include "object_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>

namespace exportd::jobs {

namespace {

// Less than this is fetched together with what follows: a request costs a round trip.
constexpr std::uint64_t ahead = 1024 * 1024;

}  // namespace

object_reader::object_reader(std::shared_ptr<const object_store_settings> settings, std::string key,
                             std::stop_token stop)
    : key_{std::move(key)}, stop_{std::move(stop)}, client_{std::move(settings)} {
    const auto answer =
        client_.expect(200, "looking at a file", {.method = "HEAD", .key = key_}, stop_);
    const char* end = answer.length.data() + answer.length.size();
    const auto [parsed, error] = std::from_chars(answer.length.data(), end, size_);
    if (error != std::errc{} || parsed != end || answer.etag.empty())
        throw store_error{"looking at a file: no length or no ETag"};
    etag_ = answer.etag;
}

std::size_t object_reader::read(std::uint64_t offset, std::span<char> into) {
    if (offset >= size_) return 0;
    into = into.first(std::min<std::uint64_t>(into.size(), size_ - offset));
    std::size_t done = 0;
    while (done < into.size()) {
        const std::uint64_t at = offset + done;
        const auto rest = into.subspan(done);
        if (at >= ahead_offset_ && at < ahead_offset_ + ahead_.size()) {
            const std::size_t from = at - ahead_offset_;
            const std::size_t length = std::min(rest.size(), ahead_.size() - from);
            std::memcpy(rest.data(), ahead_.data() + from, length);
            done += length;
        } else if (rest.size() >= ahead) {
            fetch(at, rest);
            done += rest.size();
        } else {
            std::string bytes(std::min(ahead, size_ - at), '\0');
            fetch(at, bytes);
            ahead_ = std::move(bytes);
            ahead_offset_ = at;
        }
    }
    return done;
}

void object_reader::fetch(std::uint64_t offset, std::span<char> into) {
    s3_request request{.method = "GET", .key = key_};
    request.range = fmt::format("{}-{}", offset, offset + into.size() - 1);
    request.if_match = etag_;
    request.into = into;
    const auto answer = client_.expect(206, "reading a file", request, stop_);
    if (answer.received != into.size() ||
        answer.range != fmt::format("bytes {}/{}", request.range, size_))
        throw store_error{"reading a file: other bytes than were asked for"};
}

}  // namespace exportd::jobs
