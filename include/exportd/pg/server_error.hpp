#pragma once

#include <exportd/rows/errc.hpp>

#include <boost/system/system_error.hpp>

#include <string>

namespace exportd::pg {

// An errc with what the server or libpq said about it. what() holds that text for the log:
// it may name tables and hosts, so it never goes to a client. Messages that may quote a value of
// a row (SQLSTATE classes of data, constraints and raised exceptions) are left out of it.
class server_error : public boost::system::system_error {
public:
    // `sqlstate` is empty when the message is not the server's.
    server_error(errc code, std::string sqlstate, std::string message)
        : system_error(make_error_code(code), loggable(sqlstate, message)),
          sqlstate_(std::move(sqlstate)),
          message_(std::move(message)) {}

    const std::string& sqlstate() const noexcept { return sqlstate_; }
    const std::string& message() const noexcept { return message_; }

private:
    static std::string loggable(const std::string& sqlstate, const std::string& message) {
        if (sqlstate.empty()) return message;
        const auto kind = sqlstate.substr(0, 2);
        const bool safe = kind == "08" || kind == "25" || kind == "28" || kind == "3D" ||
                          kind == "40" || kind == "42" || kind == "53" || kind == "54" ||
                          kind == "55" || kind == "57" || kind == "58";
        return safe ? sqlstate + ' ' + message : sqlstate;
    }

    std::string sqlstate_;
    std::string message_;
};

}  // namespace exportd::pg
