#pragma once

#include <boost/system/error_category.hpp>
#include <boost/system/error_code.hpp>

#include <string>
#include <type_traits>

namespace exportd {

// Everything expected that ends an export early, whichever module found it.
enum class errc {
    query_failed = 1,      // the server reported an error for the query
    database_unavailable,  // no connection could be made, or it was lost
    pool_exhausted,        // no connection became free within the bounded wait
    first_row_timeout,     // the first batch did not come in time
    progress_timeout,      // the database went silent in the middle
    unsupported_type,      // a column of the result has no decoder
    too_many_rows,         // over the limit of a streamed export
    client_gone,           // the receiver closed its connection
    stalled,               // the receiver took nothing for stall_timeout
    export_deadline,       // the whole export took longer than it may
    shutting_down,         // the service is stopping
};

// Categories are never deleted through their base, whose destructor is not virtual.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wnon-virtual-dtor"
class export_error_category final : public boost::system::error_category {
public:
    const char* name() const noexcept override { return "exportd"; }
    std::string message(int value) const override {
        switch (static_cast<errc>(value)) {
            case errc::query_failed:
                return "the query failed";
            case errc::database_unavailable:
                return "the database is not available";
            case errc::pool_exhausted:
                return "no database connection became free in time";
            case errc::first_row_timeout:
                return "the first row did not come in time";
            case errc::progress_timeout:
                return "the database went silent";
            case errc::unsupported_type:
                return "a column has a type without a decoder";
            case errc::too_many_rows:
                return "too many rows for a streamed export";
            case errc::client_gone:
                return "the client closed its connection";
            case errc::stalled:
                return "the client took no bytes for too long";
            case errc::export_deadline:
                return "the export took longer than it may";
            case errc::shutting_down:
                return "the service is stopping";
        }
        return "unknown error";
    }
};
#pragma GCC diagnostic pop

inline const boost::system::error_category& export_category() noexcept {
    static const export_error_category category;
    return category;
}

inline boost::system::error_code make_error_code(errc e) noexcept {
    return {static_cast<int>(e), export_category()};
}

}  // namespace exportd

template <>
struct boost::system::is_error_code_enum<exportd::errc> : std::true_type {};
