#pragma once

#include <exportd/access/principal.hpp>

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace exportd::access {

// What a request brings to tell who asks. Views into the request; never logged.
struct credentials {
    // Field values in the order they came; names are compared without regard to case.
    std::span<const std::pair<std::string, std::string>> fields;
    bool from_trusted_proxy = false;  // the peer's address is in server.trusted_proxies

    // The field's only value. Nothing if it did not come, came twice or is empty.
    std::optional<std::string_view> only(std::string_view name) const;

    // How often the field came.
    std::size_t count(std::string_view name) const;
};

// What came of looking at them.
struct verdict {
    enum class kind {
        known,   // who is who asks
        absent,  // no credentials of this kind
        wrong,   // credentials that are not (or no longer) valid; why goes to nobody but the audit
    };
    kind what = kind::absent;
    std::optional<principal> who;
    std::string cause;  // of wrong: a stable word such as "unknown_token", "expired", "audience"
};

// Tells who asks by the credentials of a request, in one of the modes of auth.mode. Loop thread
// only; does not wait.
class authenticator {
public:
    virtual ~authenticator() = default;
    virtual verdict look_at(const credentials& given) = 0;
};

}  // namespace exportd::access
