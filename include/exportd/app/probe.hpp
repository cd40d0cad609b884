#pragma once

#include <exportd/app/config.hpp>

namespace exportd::app {

// What a probe asks of a running service.
enum class probe_kind {
    alive,  // /healthz: does the loop turn?
    ready,  // /readyz: does it take exports?
};

// Asks the service that serves with these settings, on its ops.listen; an address that stands for
// all addresses is asked on loopback. Blocks for two seconds at most. Says on stderr what is wrong,
// and returns an exit status: exit_ok only if the answer is 200. Opens a socket, and nothing else
// of the service.
int probe(const config& c, probe_kind kind);

}  // namespace exportd::app
