#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <string>
#include <vector>

namespace exportd::pg {

// Turns a host's name into numeric addresses without blocking the caller's thread.
class resolver {
public:
    virtual ~resolver() = default;

    // At least one address, in order of preference. Throws boost::system::system_error.
    virtual boost::asio::awaitable<std::vector<std::string>> resolve(std::string host) = 0;
};

// Asks the system, on the thread that Asio keeps for it.
class system_resolver final : public resolver {
public:
    boost::asio::awaitable<std::vector<std::string>> resolve(std::string host) override;
};

}  // namespace exportd::pg
