#include "s3_client.hpp"

#include <exportd/jobs/server_url.hpp>

#include <fmt/format.h>
#include <openssl/evp.h>

#include "s3_xml.hpp"
#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <random>

namespace exportd::jobs {

namespace {

// An error document, or 1,000 names of 1 KiB.
constexpr std::size_t largest_document = 4 * 1024 * 1024;
constexpr std::chrono::milliseconds longest_pause{5'000};

// Where the body of an answer goes.
struct receiver {
    const curl::handle& handle;
    std::span<char> into;
    std::size_t received = 0;
    std::string document;

    static std::size_t take(char* bytes, std::size_t, std::size_t size, void* self) {
        return static_cast<receiver*>(self)->add({bytes, size}) ? size : 0;
    }

    bool add(std::string_view bytes) {
        if (handle.response_code() == 206) {
            if (bytes.size() > into.size() - received) return false;
            std::memcpy(into.data() + received, bytes.data(), bytes.size());
            received += bytes.size();
            return true;
        }
        if (bytes.size() > largest_document - document.size()) return false;
        document += bytes;
        return true;
    }
};

bool is_worth_another_try(CURLcode code) {
    switch (code) {
        case CURLE_ABORTED_BY_CALLBACK:
        case CURLE_WRITE_ERROR:
        case CURLE_PEER_FAILED_VERIFICATION:
        case CURLE_SSL_CACERT_BADFILE:
        case CURLE_UNSUPPORTED_PROTOCOL:
        case CURLE_URL_MALFORMAT:
            return false;
        default:
            return true;
    }
}

bool is_worth_another_try(const s3_answer& answer) {
    constexpr long not_implemented = 501;
    constexpr long full = 507;
    if (answer.status == not_implemented || answer.status == full) return false;
    // CompleteMultipartUpload may say so in a 200; RequestTimeout is a 400.
    return answer.status >= 500 || answer.status == 429 || answer.code == "SlowDown" ||
           answer.code == "InternalError" || answer.code == "RequestTimeout";
}

// Returns early when a stop is requested.
void pause(std::chrono::milliseconds longest, const std::stop_token& stop) {
    std::random_device source;
    const auto part = std::uniform_int_distribution<long>{50, 100}(source);
    std::mutex mutex;
    std::condition_variable_any nobody;
    std::unique_lock lock{mutex};
    nobody.wait_for(lock, stop, longest * part / 100, [] { return false; });
}

bool is_unreserved(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '.' || c == '_' || c == '~';
}

void append_encoded(std::string& out, std::string_view text) {
    for (const char c : text) {
        if (is_unreserved(c)) {
            out += c;
        } else {
            out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
        }
    }
}

std::string refusal(const s3_answer& answer) {
    return answer.code.empty() ? fmt::format("status {}", answer.status)
                               : fmt::format("status {}, {}", answer.status, answer.code);
}

}  // namespace

struct s3_client::outcome {
    CURLcode code = CURLE_OK;
    s3_answer answer;
};

s3_client::s3_client(std::shared_ptr<const object_store_settings> settings)
    : settings_{std::move(settings)} {
}

s3_answer s3_client::send(const s3_request& request, const std::stop_token& stop) {
    const std::string digest = sha256_hex(request.body);
    auto delay = settings_->retry_delay;
    for (int left = settings_->tries; !stop.stop_requested(); --left) {
        outcome got = try_once(request, digest, stop);
        const bool answered = got.code == CURLE_OK;
        if (answered && !is_worth_another_try(got.answer)) return std::move(got.answer);
        if (left <= 1 || (!answered && !is_worth_another_try(got.code))) {
            if (stop.stop_requested()) break;
            throw store_error{fmt::format(
                "the object store does not do its work: {}",
                answered ? refusal(got.answer) : std::string{curl_easy_strerror(got.code)})};
        }
        pause(delay, stop);
        delay = std::min(delay * 2, longest_pause);
    }
    throw store_error{"asked to stop"};
}

s3_answer s3_client::expect(long wanted, std::string_view action, const s3_request& request,
                            const std::stop_token& stop) {
    s3_answer answer = send(request, stop);
    if (answer.status != wanted) throw_refused(action, answer);
    return answer;
}

s3_client::outcome s3_client::try_once(const s3_request& request, const std::string& digest,
                                       const std::stop_token& stop) {
    prepare(request, stop);
    curl::list headers;
    // libcurl 7.88 does not send the digest by itself, and newer ones sign a body unseen.
    headers.add("x-amz-content-sha256: " + digest);
    headers.add("Content-Type: application/octet-stream");
    if (!request.if_match.empty()) headers.add("If-Match: " + request.if_match);
    handle_.set(CURLOPT_HTTPHEADER, headers.get());

    receiver body{handle_, request.into, 0, {}};
    handle_.set(CURLOPT_WRITEFUNCTION, &receiver::take);
    handle_.set(CURLOPT_WRITEDATA, &body);

    outcome got;
    got.code = handle_.perform();
    got.answer.status = handle_.response_code();
    got.answer.received = body.received;
    got.answer.etag = handle_.header("ETag");
    got.answer.range = handle_.header("Content-Range");
    got.answer.length = handle_.header("Content-Length");
    got.answer.code = s3_error_code(body.document);
    got.answer.body = std::move(body.document);
    handle_.reset();
    return got;
}

void s3_client::prepare(const s3_request& request, const std::stop_token& stop) {
    const object_store_settings& s = *settings_;
    const auto server = parse_server_url(s.endpoint).value();
    std::string url = server.text() + "/" + s.bucket;
    if (!request.key.empty()) url += "/" + s.prefix + request.key;
    if (!request.query.empty()) url += "?" + s3_query_text(request.query);

    handle_.set(CURLOPT_URL, url);
    handle_.set(CURLOPT_PROTOCOLS_STR, server.scheme);
    handle_.set(CURLOPT_HTTP_VERSION, long{CURL_HTTP_VERSION_1_1});
    handle_.set(CURLOPT_FOLLOWLOCATION, 0L);
    handle_.set(CURLOPT_NOSIGNAL, 1L);
    handle_.set(CURLOPT_TCP_KEEPALIVE, 1L);
    handle_.set(CURLOPT_SSLVERSION, long{CURL_SSLVERSION_TLSv1_2});
    if (!s.ca_file.empty()) handle_.set(CURLOPT_CAINFO, s.ca_file);
    if (server.loopback) handle_.set(CURLOPT_NOPROXY, "*");
    handle_.set(CURLOPT_AWS_SIGV4, "aws:amz:" + s.region + ":s3");
    handle_.set(CURLOPT_USERNAME, s.access_key);
    handle_.set(CURLOPT_PASSWORD, s.secret_key);
    handle_.set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(s.connect_timeout.count()));
    handle_.set(CURLOPT_LOW_SPEED_LIMIT, 1L);
    handle_.set(CURLOPT_LOW_SPEED_TIME,
                std::max(1L, static_cast<long>(s.stall_timeout.count() / 1000)));
    handle_.set(CURLOPT_TIMEOUT_MS, static_cast<long>(request.whole.count()));
    handle_.stop_with(stop);

    const std::string_view method = request.method;
    if (method == "HEAD") {
        handle_.set(CURLOPT_NOBODY, 1L);
    } else if (method == "PUT" || method == "POST") {
        handle_.set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
        handle_.set(CURLOPT_POSTFIELDS, request.body.empty() ? "" : request.body.data());
    }
    if (method == "PUT" || method == "DELETE") handle_.set(CURLOPT_CUSTOMREQUEST, request.method);
    if (!request.range.empty()) handle_.set(CURLOPT_RANGE, request.range);
}

void throw_refused(std::string_view action, const s3_answer& answer) {
    const std::string what = fmt::format("{}: {}", action, refusal(answer));
    const bool full =
        answer.status == 507 || answer.code == "QuotaExceeded" || answer.code == "EntityTooLarge";
    if (full) throw store_full{what};
    const bool bucket = answer.code == "NoSuchBucket" || answer.code == "NoSuchUpload";
    if ((answer.status == 404 || answer.status == 412) && !bucket) throw no_such_file{what};
    throw store_error{what};
}

std::string s3_query_text(const std::map<std::string, std::string>& query) {
    std::string text;
    for (const auto& [name, value] : query) {
        if (!text.empty()) text += '&';
        append_encoded(text, name);
        text += '=';
        append_encoded(text, value);
    }
    return text;
}

std::string sha256_hex(std::string_view bytes) {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned size = 0;
    if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha256(), nullptr) != 1)
        throw std::bad_alloc{};
    std::string text;
    for (unsigned n = 0; n < size; ++n)
        text += fmt::format("{:02x}", digest[n]);
    return text;
}

}  // namespace exportd::jobs
