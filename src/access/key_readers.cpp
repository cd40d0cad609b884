#include <exportd/access/key_source.hpp>
#include <exportd/curl/handle.hpp>

#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <stdexcept>

namespace exportd::access {
namespace {

constexpr std::size_t largest_answer = 1024 * 1024;
constexpr long connect_seconds = 5;
constexpr long whole_seconds = 15;

std::size_t take(char* bytes, std::size_t, std::size_t size, void* into) {
    auto& text = *static_cast<std::string*>(into);
    if (text.size() + size > largest_answer) return 0;
    text.append(bytes, size);
    return size;
}

}  // namespace

read_keys keys_of_file(std::string path) {
    return [path = std::move(path)](const std::stop_token&) {
        std::ifstream in{path, std::ios::binary};
        if (!in) throw std::runtime_error{path + ": cannot be read"};
        return std::string{std::istreambuf_iterator<char>{in}, {}};
    };
}

read_keys keys_of_url(std::string url, std::string ca_file) {
    return [url = std::move(url), ca_file = std::move(ca_file)](const std::stop_token& stop) {
        std::string text;
        curl::handle transfer;
        transfer.set(CURLOPT_URL, url);
        // The configuration lets http:// through for loopback only.
        transfer.set(CURLOPT_PROTOCOLS_STR, "https,http");
        transfer.set(CURLOPT_FOLLOWLOCATION, 0L);
        transfer.set(CURLOPT_NOSIGNAL, 1L);
        transfer.set(CURLOPT_CONNECTTIMEOUT, connect_seconds);
        transfer.set(CURLOPT_TIMEOUT, whole_seconds);
        // Whatever the environment names as a proxy is not to see or choose keys.
        transfer.set(CURLOPT_PROXY, "");
        if (!ca_file.empty()) transfer.set(CURLOPT_CAINFO, ca_file);
        transfer.set(CURLOPT_WRITEFUNCTION, &take);
        transfer.set(CURLOPT_WRITEDATA, &text);
        transfer.stop_with(stop);
        const auto result = transfer.perform();
        if (result != CURLE_OK) throw std::runtime_error{curl_easy_strerror(result)};
        constexpr long ok = 200;
        if (transfer.response_code() != ok)
            throw std::runtime_error{fmt::format("the answer is {}", transfer.response_code())};
        return text;
    };
}

}  // namespace exportd::access
