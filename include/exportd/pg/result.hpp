#pragma once

#include <memory>

struct pg_result;

namespace exportd::pg {

struct result_deleter {
    void operator()(pg_result* r) const noexcept;
};

// Owns one result of libpq.
using result = std::unique_ptr<pg_result, result_deleter>;

}  // namespace exportd::pg
