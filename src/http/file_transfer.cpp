#include "file_transfer.hpp"

#include <boost/asio/experimental/awaitable_operators.hpp>

#include <algorithm>
#include <exception>
#include <stdexcept>
#include <string>
#include <utility>

namespace exportd::http {
namespace asio = boost::asio;

namespace {

struct reading {
    std::string bytes;
    std::exception_ptr failure;
};

// Keeps what is thrown: the write beside it ends by itself, and its own error must not be mixed
// up with that of the read.
asio::awaitable<reading> read_piece(jobs::file_download& file, std::uint64_t offset,
                                    std::size_t most) {
    reading r;
    try {
        r.bytes = co_await file.read(offset, most);
    } catch (...) {
        r.failure = std::current_exception();
    }
    co_return r;
}

void check(const reading& r, std::uint64_t most) {
    if (r.failure) std::rethrow_exception(r.failure);
    if (r.bytes.empty()) throw std::runtime_error{"the file ends before its length"};
    if (r.bytes.size() > most) throw std::runtime_error{"more of the file was read than asked"};
}

}  // namespace

asio::awaitable<void> send_part(jobs::file_download& file, rows::byte_sink& to, std::uint64_t first,
                                std::uint64_t length, std::size_t piece, std::uint64_t& sent) {
    using namespace asio::experimental::awaitable_operators;
    const auto size_of_next = [&](std::uint64_t left) {
        return static_cast<std::size_t>(std::min<std::uint64_t>(left, piece));
    };
    rows::byte_buffer chunk;
    std::uint64_t left = length;
    reading ahead;
    if (left != 0) ahead = co_await read_piece(file, first, size_of_next(left));
    while (left != 0) {
        check(ahead, size_of_next(left));
        chunk.append(ahead.bytes);
        const auto size = ahead.bytes.size();
        left -= size;
        ahead = {};
        auto writing = to.write(chunk);
        if (left == 0) {
            co_await std::move(writing);
        } else {
            auto next = read_piece(file, first + (length - left), size_of_next(left));
            ahead = co_await (std::move(writing) && std::move(next));
        }
        sent += size;
    }
    rows::totals total;
    total.bytes = length;
    co_await to.finish(std::move(total));
}

}  // namespace exportd::http
