#pragma once

#include <exportd/http/exchange.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace exportd::http {

// The endpoints of the service, and which of them a request is for. The endpoints outlive it.
class router {
public:
    // A pattern is matched segment by segment; `{}` is any one segment, `{}.csv` one with that
    // ending and something before it. Earlier routes win. HEAD comes with GET.
    void add(std::string_view method, std::vector<std::string> pattern, endpoint& serves);

    // Null with an empty `allow`: no such address. Null with methods: not with this one.
    struct match {
        endpoint* serves = nullptr;
        std::vector<std::string> allow;
    };
    match find(std::string_view method, const std::vector<std::string>& path) const;

private:
    struct route {
        std::string method;
        std::vector<std::string> pattern;
        endpoint* serves;
    };
    std::vector<route> routes_;
};

}  // namespace exportd::http
