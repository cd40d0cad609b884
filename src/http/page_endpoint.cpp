#include <exportd/exports/digest_sink.hpp>
#include <exportd/http/page_asset.hpp>
#include <exportd/http/page_endpoint.hpp>
#include <exportd/http/problem.hpp>

#include <openssl/evp.h>

#include <array>

namespace exportd::http {
namespace asio = boost::asio;

namespace {

std::string etag_of(std::string_view content) {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned size = 0;
    EVP_Digest(content.data(), content.size(), digest.data(), &size, EVP_sha256(), nullptr);
    constexpr std::size_t enough = 16;
    return '"' + exports::to_hex({reinterpret_cast<const char*>(digest.data()), enough}) + '"';
}

// Asked for again each time, and sent only if it is another one: a new release is seen at once.
response answer_with(const page_asset& asset, const std::string& etag, const request& r) {
    response answer;
    answer.fields = page_fields();
    answer.fields.push_back({"Cache-Control", "no-cache"});
    answer.fields.push_back({"ETag", etag});
    if (r.if_none_match == etag) {
        answer.status = 304;
        return answer;
    }
    answer.content_type = content_type_of(asset);
    answer.body = asset.content;
    return answer;
}

}  // namespace

asio::awaitable<void> page_file_endpoint::serve(exchange& x) {
    const auto& r = x.request();
    const auto* asset = find_page_asset(name_.empty() ? std::string_view{r.path.back()} : name_);
    auto answer = asset == nullptr ? to_response(not_found(), r.request_id)
                                   : answer_with(*asset, versions_.at(asset->name), r);
    co_await x.reply(std::move(answer));
}

page_endpoints::page_endpoints() {
    for (const auto& asset : page_assets())
        versions_.emplace(asset.name, etag_of(asset.content));
}

void page_endpoints::add_to(router& routes) {
    routes.add("GET", {}, page_);
    routes.add("GET", {"page", "{}"}, file_, audience::open);
    routes.add("GET", {"openapi.json"}, interface_, audience::open);
}

}  // namespace exportd::http
