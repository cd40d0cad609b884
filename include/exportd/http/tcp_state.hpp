#pragma once

#include <cstdint>

namespace exportd::http {

// What the kernel knows of a TCP connection without reading from it (tcp(7), TCP_INFO).
struct tcp_state {
    bool peer_gone = false;         // it sent FIN or RST, or the connection is closed
    std::uint64_t bytes_acked = 0;  // sent bytes that have reached the peer's kernel
};

// Never blocks. A descriptor that has no such state reads as gone.
tcp_state read_tcp_state(int descriptor) noexcept;

}  // namespace exportd::http
