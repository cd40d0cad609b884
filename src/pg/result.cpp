#include <exportd/pg/result.hpp>

#include <libpq-fe.h>

namespace exportd::pg {

void result_deleter::operator()(pg_result* r) const noexcept {
    PQclear(r);
}

}  // namespace exportd::pg
