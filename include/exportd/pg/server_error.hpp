#pragma once

#include <exportd/rows/errc.hpp>

#include <boost/system/system_error.hpp>

#include <string>

namespace exportd::pg {

// An errc with what the server or libpq said about it. what() holds that text, for the log
// only: it may quote data or name tables and hosts, so it never goes to a client.
class server_error : public boost::system::system_error {
public:
    // `sqlstate` is empty when the message is not the server's.
    server_error(errc code, std::string sqlstate, std::string message)
        : system_error(make_error_code(code),
                       sqlstate.empty() ? message : sqlstate + ' ' + message),
          sqlstate_(std::move(sqlstate)),
          message_(std::move(message)) {}

    const std::string& sqlstate() const noexcept { return sqlstate_; }
    const std::string& message() const noexcept { return message_; }

private:
    std::string sqlstate_;
    std::string message_;
};

}  // namespace exportd::pg
