#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace exportd::pg {

struct settings {
    std::string url;       // a libpq URL or key=value string; see conninfo
    std::size_t size = 4;  // most connections at any time
    // Longest wait of an acquire() for a connection that is free.
    std::chrono::milliseconds pool_wait{2000};
    // For each address of each host. The URL's connect_timeout takes its place.
    std::chrono::milliseconds connect_timeout{5000};
    // Longest silence of the server inside a query.
    std::chrono::milliseconds progress_timeout{30000};
    // Pause after a failed connect: doubled from the first to the longest, less up to half of it.
    std::chrono::milliseconds first_backoff{100};
    std::chrono::milliseconds longest_backoff{5000};
    // How long a query that was dropped may take to end by itself before it is cancelled.
    std::chrono::milliseconds grace{200};
    // How long a cancelled query is waited for before its connection is closed anyway.
    std::chrono::milliseconds cancel_wait{1000};
};

}  // namespace exportd::pg
