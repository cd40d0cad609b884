#include <exportd/curl/library.hpp>

#include <curl/curl.h>

#include <stdexcept>

namespace exportd::curl {

library::library() {
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
        throw std::runtime_error{"libcurl can't be used"};
}

library::~library() {
    curl_global_cleanup();
}

}  // namespace exportd::curl
