#pragma once

#include <string>

namespace exportd::pg {

// Whether somebody on the way could read and change what a connection with this string carries: it
// may lead to another machine, and sslmode is not verify-full (PostgreSQL manual, "SSL Support",
// table "SSL Mode Descriptions"). Of several hosts one is enough. Not so for a string that libpq
// can't parse, with which nothing connects. Does not connect.
bool is_exposed(const std::string& url);

}  // namespace exportd::pg
