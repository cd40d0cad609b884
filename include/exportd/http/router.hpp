#pragma once

#include <exportd/http/exchange.hpp>
#include <exportd/http/gate.hpp>

#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace exportd::http {

// The endpoints of the service, and which of them a request is for. The endpoints outlive it.
class router {
public:
    // A pattern is matched segment by segment; `{}` is any one segment, `{}.csv` one with that
    // ending and something before it. Earlier routes win. HEAD comes with GET.
    void add(std::string_view method, std::vector<std::string> pattern, endpoint& serves,
             audience whom = audience::signed_in);

    // Null with an empty `allow`: no such address. Null with methods: not with this one.
    struct match {
        endpoint* serves = nullptr;
        const std::string* route = nullptr;  // its template, such as /exports/{}.csv; the router's
        std::vector<std::string> allow;
        audience whom = audience::anyone;
    };
    match find(std::string_view method, const std::vector<std::string>& path) const;

    // The templates of all routes.
    std::vector<std::string> templates() const;

    // Method, template and audience of each route, in their order.
    struct entry {
        std::string method;
        std::string text;
        audience whom;
    };
    std::vector<entry> entries() const;

private:
    struct route {
        std::string method;
        std::vector<std::string> pattern;
        std::string text;
        endpoint* serves;
        audience whom;
    };
    std::deque<route> routes_;  // their texts stay where they are
};

}  // namespace exportd::http
