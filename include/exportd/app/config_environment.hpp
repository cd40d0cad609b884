#pragma once

#include <exportd/app/config.hpp>

#include <string>
#include <vector>

namespace exportd::app {

// Lets EXPORTD_<SECTION>_<KEY>, or for a secret the file that EXPORTD_<SECTION>_<KEY>_FILE names
// (without the line end at its end), override `c`, and appends every fault to `errors`. Another
// variable of a section that exists is a fault too, except the service links that Kubernetes sets
// for a service called exportd-<section> (EXPORTD_OPS_PORT, EXPORTD_OPS_SERVICE_HOST, ...;
// Kubernetes, "Service: Discovering services"). Blocks on files.
void apply_environment(const environment& env, config& c, std::vector<std::string>& errors);

}  // namespace exportd::app
