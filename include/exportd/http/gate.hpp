#pragma once

#include <exportd/http/message.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

namespace exportd::http {

// Whom a route is for.
enum class audience : std::uint8_t {
    open,       // everybody, and nothing is counted: probes, the page's own files
    anyone,     // everybody; who signed in is known
    link,       // who shows the token of a link, and otherwise as signed_in
    signed_in,  // who is known, or everybody while nobody is told apart
};

// Stands before the routes. Loop thread only.
class gate {
public:
    virtual ~gate() = default;

    struct decision {
        std::optional<response> refusal;     // instead of the route's answer
        std::chrono::milliseconds delay{0};  // before the refusal
        std::vector<header_field> fields;    // for whatever the answer is
    };

    // Finds out who asks and whether the request may reach its route. Sets the client, who asks
    // and the sign-in of `r`, and takes the credentials away from it: nothing behind the gate
    // sees them.
    virtual decision admit(request& r, audience whom) = 0;

    // A delayed refusal has been sent, or nobody waits for it any more.
    virtual void delay_over(const request& r) noexcept = 0;
};

}  // namespace exportd::http
