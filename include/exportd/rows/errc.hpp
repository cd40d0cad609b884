#pragma once

#include <boost/system/error_category.hpp>
#include <boost/system/error_code.hpp>

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

const boost::system::error_category& export_category() noexcept;

inline boost::system::error_code make_error_code(errc e) noexcept {
    return {static_cast<int>(e), export_category()};
}

}  // namespace exportd

template <>
struct boost::system::is_error_code_enum<exportd::errc> : std::true_type {};
