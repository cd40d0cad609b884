#pragma once

#include <curl/curl.h>

#include <chrono>
#include <memory>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <utility>

namespace exportd::curl {

// A list of header lines or recipients, as libcurl has it.
class list {
public:
    void add(const std::string& line) {
        curl_slist* longer = curl_slist_append(list_.get(), line.c_str());
        if (longer == nullptr) throw std::bad_alloc{};
        if (!list_) list_.reset(longer);
    }
    curl_slist* get() const noexcept { return list_.get(); }

private:
    struct deleter {
        void operator()(curl_slist* p) const noexcept { curl_slist_free_all(p); }
    };
    std::unique_ptr<curl_slist, deleter> list_;
};

// One easy handle, which keeps its connection from one transfer to the next. For one thread at a
// time.
class handle {
public:
    handle(const handle&) = delete;
    handle& operator=(const handle&) = delete;
    handle() : handle_{curl_easy_init()} {
        if (!handle_) throw std::bad_alloc{};
    }

    // Forgets all options, keeps the connection.
    void reset() noexcept { curl_easy_reset(handle_.get()); }

    // Throws std::logic_error if this libcurl does not have the option.
    template <class Value>
    void set(CURLoption option, Value value) {
        if (curl_easy_setopt(handle_.get(), option, value) != CURLE_OK)
            throw std::logic_error{"libcurl refuses option " + std::to_string(option)};
    }
    void set(CURLoption option, const std::string& text) { set(option, text.c_str()); }

    // Ends a transfer soon after `stop` is requested or, if it is set, after `until`, with
    // CURLE_ABORTED_BY_CALLBACK.
    void stop_with(std::stop_token stop, std::chrono::steady_clock::time_point until = {}) {
        watch_ = {std::move(stop), until};
        set(CURLOPT_NOPROGRESS, 0L);
        set(CURLOPT_XFERINFODATA, &watch_);
        set(CURLOPT_XFERINFOFUNCTION, &asked_to_stop);
    }

    long response_code() const noexcept {
        long code = 0;
        curl_easy_getinfo(handle_.get(), CURLINFO_RESPONSE_CODE, &code);
        return code;
    }

    // The last answer's header field, or nothing.
    std::string header(const char* name) const {
        curl_header* found = nullptr;
        if (curl_easy_header(handle_.get(), name, 0, CURLH_HEADER, -1, &found) != CURLHE_OK)
            return {};
        return found->value;
    }

    CURLcode perform() noexcept { return curl_easy_perform(handle_.get()); }

private:
    struct watch {
        std::stop_token stop;
        std::chrono::steady_clock::time_point until;
    };

    static int asked_to_stop(void* own, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
        const auto& w = *static_cast<const watch*>(own);
        const bool late = w.until != std::chrono::steady_clock::time_point{} &&
                          std::chrono::steady_clock::now() > w.until;
        return late || w.stop.stop_requested() ? 1 : 0;
    }

    struct deleter {
        void operator()(CURL* p) const noexcept { curl_easy_cleanup(p); }
    };
    watch watch_;
    std::unique_ptr<CURL, deleter> handle_;
};

}  // namespace exportd::curl
