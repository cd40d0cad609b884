#include <exportd/http/tcp_state.hpp>

#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace exportd::http {
namespace {

// linux/tcp.h has the fields that glibc's netinet/tcp.h lacks, but not the states (RFC 9293
// section 3.3.2, numbered as in the kernel); the two headers can't be included together.
constexpr std::uint8_t established = 1;
constexpr std::uint8_t syn_received = 3;

}  // namespace

tcp_state read_tcp_state(int descriptor) noexcept {
    tcp_info info{};
    socklen_t size = sizeof info;
    if (getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return {true, 0};
    const bool open = info.tcpi_state == established || info.tcpi_state == syn_received;
    return {!open, info.tcpi_bytes_acked};
}

}  // namespace exportd::http
