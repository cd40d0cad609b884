#pragma once

#include <exportd/access/policy.hpp>
#include <exportd/exports/catalog.hpp>
#include <exportd/exports/request.hpp>
#include <exportd/http/message.hpp>
#include <exportd/http/problem.hpp>

#include <optional>

namespace exportd::http {

// What the caller may do with an export now, if anything.
std::optional<access::permission> permission_of(const access::policy_store& policies,
                                                const request& r,
                                                const exports::catalog_entry& entry);

// 403: the export is not for the caller.
problem not_permitted();

// Why the permission does not cover what is asked, if so: raw values (403), or a longer range
// (400).
std::optional<problem> excess_of(const access::permission& may, const exports::catalog_entry& entry,
                                 const exports::request& asked);

}  // namespace exportd::http
