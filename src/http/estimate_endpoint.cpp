#include <exportd/http/estimate_endpoint.hpp>
#include <exportd/http/json.hpp>

#include <boost/system/system_error.hpp>

#include <algorithm>

namespace exportd::http {
namespace asio = boost::asio;

namespace {

// As many rows as the average length of a row is taken from.
constexpr std::uint64_t sampled_rows = 500;
// What is counted when nothing limits the stream.
constexpr std::uint64_t most_counted = 10'000'000;

struct sample {
    std::uint64_t rows = 0;
    std::uint64_t header_bytes = 0;
    std::uint64_t row_bytes = 0;
};

asio::awaitable<sample> take_sample(export_services& services, const exports::catalog_entry& entry,
                                    const exports::request& asked) {
    auto query = make_query(entry.what, asked.range, "exportd estimate", services.limits);
    auto opened = co_await services.rows.open(std::move(query));
    const auto encoder =
        services.encoders.make(entry.what, asked.values, asked.excel, opened.source->columns());
    rows::byte_buffer out;
    encoder->append_header(out);
    sample s;
    s.header_bytes = out.size();
    const exports::turn_budget budget{services.limits.chunk_bytes, services.limits.turn_budget};
    while (encoder->rows() < sampled_rows) {
        const auto batch = co_await opened.source->next();
        if (!batch) break;
        for (bool whole = false; !whole;) {
            out.clear();
            co_await services.turns.next();
            whole = encoder->encode_some(*batch, out, budget);
            s.row_bytes += out.size();
        }
    }
    s.rows = encoder->rows();
    co_return s;
}

asio::awaitable<void> find_out(export_services& services, const exports::catalog_entry& entry,
                               const exports::request& asked, export_estimate& found) {
    const auto limit = row_limit_of(entry.what, services.limits);
    const auto at_most = limit == 0 ? most_counted : std::min(10 * limit + 1, most_counted);
    auto query = make_query(entry.what, asked.range, "exportd estimate", services.limits);
    found.count = co_await services.rows.count(std::move(query), at_most);
    const auto s = co_await take_sample(services, entry, asked);
    found.bytes = s.header_bytes;
    if (s.rows != 0) found.bytes += s.row_bytes * found.count.rows / s.rows;
}

response to_answer(const export_estimate& found, const exports::definition& d,
                   const exports::request& asked, const export_limits& limits) {
    const auto limit = row_limit_of(d, limits);
    const bool too_large = limit != 0 && found.count.rows > limit;
    json_object o;
    o.number("rows", found.count.rows)
        .boolean("exact", found.count.exact)
        .number("bytes", found.bytes);
    if (!too_large) {
        o.text("delivery", "stream");
    } else if (limits.jobs) {
        o.text("delivery", "job").raw("job", job_offer(d, asked));
    } else {
        o.null("delivery");
    }
    response r;
    r.content_type = "application/json";
    r.body = std::move(o).done() + '\n';
    return r;
}

}  // namespace

asio::awaitable<void> estimate_endpoint::serve(exchange& x) {
    const auto& r = x.request();
    const auto asked = find_asked(services_, r.path[1], r);
    std::optional<problem> failure = asked.refused;
    export_estimate found;
    if (!failure) {
        auto entered = co_await enter(services_, x);
        if (!entered.ticket) {
            failure = std::move(entered.refused);
            if (!failure) co_return;
        } else {
            auto ended = co_await run(x, *asked.entry, asked.what, found);
            if (ended == errc::client_gone) co_return;
            if (ended) failure = problem_of(*ended);
        }
    }
    // Not a conditional expression inside co_await: GCC 12 destroys its temporaries twice.
    auto answer = failure ? to_response(*failure, r.request_id)
                          : to_answer(found, asked.entry->what, asked.what, services_.limits);
    co_await x.reply(std::move(answer));
}

// How it ended early, if it did.
asio::awaitable<std::optional<errc>> estimate_endpoint::run(exchange& x,
                                                            const exports::catalog_entry& entry,
                                                            const exports::request& asked,
                                                            export_estimate& found) {
    auto limits = services_.limits.transfer;
    limits.stall_timeout = {};
    std::optional<errc> ended;
    try {
        auto work = find_out(services_, entry, asked, found);
        co_await x.guard(std::move(work), limits);
    } catch (const boost::system::system_error& e) {
        if (e.code().category() != export_category()) throw;
        ended = static_cast<errc>(e.code().value());
    }
    co_return ended;
}

}  // namespace exportd::http
