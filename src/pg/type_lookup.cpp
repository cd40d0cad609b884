#include <exportd/pg/type_lookup.hpp>

#include <libpq-fe.h>
#include <string>

namespace exportd::pg {

boost::asio::awaitable<void> look_up(connection& on, std::vector<type_map::oid> numbers,
                                     type_map& types, patience p) {
    std::string list;
    for (const auto number : numbers)
        list += (list.empty() ? "" : ",") + std::to_string(number);
    on.send(
        "SELECT oid::text, typtype, format_type(oid, NULL) FROM pg_catalog.pg_type"
        " WHERE oid = ANY ($1::oid[])",
        {"{" + list + "}"});
    on.sync();
    co_await on.flush(p);
    const auto found = co_await on.next_result(p);
    for (int row = 0; row < PQntuples(found.get()); ++row) {
        const auto number = std::stoul(PQgetvalue(found.get(), row, 0));
        types.learn(static_cast<type_map::oid>(number), *PQgetvalue(found.get(), row, 1),
                    PQgetvalue(found.get(), row, 2));
    }
    // What the catalogue does not have either is remembered, so that it is not asked for again.
    for (const auto number : numbers) {
        if (!types.find(number)) types.learn(number, 'b', "type " + std::to_string(number));
    }
}

}  // namespace exportd::pg
