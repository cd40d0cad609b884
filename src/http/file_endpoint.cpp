#include <exportd/http/file_endpoint.hpp>
#include <exportd/http/permission.hpp>
#include <exportd/jobs/link_token.hpp>

#include <boost/system/system_error.hpp>

#include "attempt.hpp"
#include "desk_call.hpp"
#include "file_head.hpp"
#include "file_transfer.hpp"

namespace exportd::http {
namespace asio = boost::asio;

namespace {

using clock = std::chrono::steady_clock;

exports::instant now() {
    return std::chrono::floor<std::chrono::microseconds>(std::chrono::system_clock::now());
}

bool is_aborted(errc e) {
    return e == errc::client_gone || e == errc::stalled;
}

std::string_view code_of(errc e) {
    switch (e) {
        case errc::client_gone:
            return "client_gone";
        case errc::stalled:
            return "stalled";
        case errc::export_deadline:
            return "download_deadline";
        case errc::shutting_down:
            return "shutting_down";
        default:
            return "internal_error";
    }
}

problem too_long() {
    auto p = problem_of(errc::export_deadline);
    p.detail = "The download took longer than it may; go on with a Range request.";
    return p;
}

problem too_many_downloads(exports::admission::refusal why) {
    auto p = problem_of(errc::pool_exhausted);
    p.detail = "As many downloads run as there may be; try again soon.";
    if (why == exports::admission::refusal::too_many_for_client) {
        p.status = 429;
        p.code = "too_many_downloads";
        p.detail = "As many downloads as one caller may have run already; wait for one to end.";
    }
    return p;
}

// One request for a file from its begin to its end. Lives in the frame of the endpoint's
// coroutine. A token is looked at and handed to the desk, and nothing else ever holds it.
class download {
public:
    download(job_services& services, exchange& x)
        : services_{services}, exchange_{x}, attempt_{services.audit, x.request(), "download"} {}

    asio::awaitable<void> run();

private:
    bool read_address();
    asio::awaitable<void> find();
    void select();
    bool enter();
    asio::awaitable<void> open();
    asio::awaitable<void> send();
    asio::awaitable<void> transfer();
    void end(std::string_view outcome, std::string_view code, const std::string& cause);
    void tell(std::string_view outcome, std::string_view code, const std::string& cause) const;

    const request& asked() const noexcept { return exchange_.request(); }
    void refuse(const problem& p) {
        code_ = p.code;
        answer_ = to_response(p, asked().request_id);
    }
    bool permitted() const;
    bool take(desk_outcome outcome);
    bool ended() const noexcept { return gone_ || answer_.has_value(); }

    job_services& services_;
    exchange& exchange_;
    attempt attempt_;
    std::string code_;  // of a refusal
    std::string id_;
    const std::string* token_ = nullptr;  // the request's
    std::optional<jobs::job> job_;
    selected_range part_;
    std::optional<exports::admission::ticket> ticket_;
    std::unique_ptr<jobs::file_download> file_;
    std::uint64_t sent_ = 0;
    clock::time_point started_ = clock::now();
    std::optional<response> answer_;  // instead of the file
    bool gone_ = false;
};

// Texts of these problems are the same whatever the parameter: it may be a misspelt token.
bool download::read_address() {
    const auto& query = asked().query;
    for (const auto& [name, value] : query) {
        if (name != "token") {
            refuse(bad_request("unknown_parameter",
                               "There is no such parameter; the only one is token."));
            return false;
        }
    }
    if (query.size() > 1) {
        refuse(bad_request("repeated_parameter", "token is given more than once."));
        return false;
    }
    const auto id = job_id_in(asked().path[1]);
    if (!query.empty()) token_ = &query.front().second;
    if (!id || (token_ != nullptr && !jobs::is_link_token(*token_))) {
        refuse(not_found());
        return false;
    }
    id_ = *id;
    return true;
}

// Whether the call has succeeded.
bool download::take(desk_outcome outcome) {
    gone_ = outcome.gone;
    if (outcome.failure) refuse(*outcome.failure);
    return !ended();
}

asio::awaitable<void> download::find() {
    auto call = token_ != nullptr ? services_.desk.find_by_token(id_, *token_)
                                  : services_.desk.find(asked().identity, id_);
    auto outcome = co_await ask_desk(services_, exchange_, std::move(call), job_);
    if (!take(std::move(outcome))) co_return;
    if (token_ != nullptr) attempt_.by("link");
    if (job_) attempt_.about(job_->asked.export_name, job_->id);
    if (!job_) {
        refuse(not_found());
    } else if (!permitted()) {
        refuse(not_permitted());
    } else if (const auto missing = why_no_file(*job_, now())) {
        refuse(*missing);
    }
}

// Whether the job's owner may still have it; somebody with a link has it by the owner's right.
bool download::permitted() const {
    const auto& wanted = job_->asked;
    const auto who =
        token_ == nullptr ? asked().who : access::principal::of(wanted.owner, wanted.groups);
    const auto may = services_.policies.current().permits(who, wanted.export_name,
                                                          std::chrono::system_clock::now());
    return may && (may->raw || wanted.values != exports::values::raw);
}

void download::select() {
    part_ = select_range(asked(), version_of(*job_));
    answer_ = answer_without_file(*job_, part_, asked());
}

bool download::enter() {
    if (services_.life.draining()) {
        refuse(problem_of(errc::shutting_down));
        return false;
    }
    auto decision = services_.downloads.enter(asked().caller());
    if (auto* ticket = std::get_if<exports::admission::ticket>(&decision)) {
        ticket_.emplace(std::move(*ticket));
        return true;
    }
    const auto* why = std::get_if<exports::admission::refusal>(&decision);
    refuse(too_many_downloads(why != nullptr ? *why : exports::admission::refusal::queue_full));
    return false;
}

asio::awaitable<void> download::open() {
    auto call = services_.desk.open(*job_);
    auto outcome = co_await ask_desk(services_, exchange_, std::move(call), file_);
    if (!take(std::move(outcome))) co_return;
    if (file_ == nullptr) {
        refuse(file_gone());
    } else if (file_->size() != job_->bytes) {
        tell("failed", "internal_error", "the file is not as long as its job says");
        refuse(internal_error());
    }
}

asio::awaitable<void> download::transfer() {
    const auto* entry = services_.catalog.find(job_->asked.export_name);
    const auto sink = exchange_.stream(file_head(*job_, entry, part_), [](const rows::totals&) {
        return std::vector<header_field>{};
    });
    co_await send_part(*file_, *sink, part_.first, part_.length, services_.limits.piece_bytes,
                       sent_);
}

asio::awaitable<void> download::send() {
    auto failure = co_await attempt_.begin();
    if (failure) {
        refuse(*failure);
        co_return;
    }
    try {
        auto work = transfer();
        co_await exchange_.guard(std::move(work), services_.limits.transfer);
        end("complete", {}, {});
    } catch (const jobs::desk_error& e) {
        failure = problem_of(e.why);
        end("failed", failure->code, {});
    } catch (const boost::system::system_error& e) {
        const bool ours = e.code().category() == export_category();
        // The client's socket: whatever the kernel calls it, nobody is there.
        const auto why = ours ? static_cast<errc>(e.code().value()) : errc::client_gone;
        end(is_aborted(why) ? "aborted" : "failed", code_of(why), e.what());
        gone_ = is_aborted(why);
        failure = why == errc::export_deadline ? too_long() : problem_of(why);
    } catch (const std::exception& e) {
        end("failed", "internal_error", e.what());
        failure = internal_error();
    }
    if (failure) refuse(*failure);
}

// Of a transfer that had begun.
void download::end(std::string_view outcome, std::string_view code, const std::string& cause) {
    // Rows are told of whole files only: a part may begin and end anywhere.
    const bool whole = outcome == "complete" && sent_ == job_->bytes;
    attempt_.end(outcome, code, whole ? job_->rows : 0, sent_);
    tell(outcome, code, cause);
}

void download::tell(std::string_view outcome, std::string_view code,
                    const std::string& cause) const {
    const auto took =
        std::chrono::duration_cast<std::chrono::microseconds>(clock::now() - started_);
    const bool broken = outcome == "failed";
    observe::event e{broken ? observe::level::warning : observe::level::info, "download_finished"};
    e.with("job", job_->id)
        .with("export", job_->asked.export_name)
        .with("request_id", asked().request_id)
        .with("by_link", token_ != nullptr)
        .with("outcome", outcome)
        .with("offset", part_.first)
        .with("bytes", sent_)
        .with("duration_ms", static_cast<double>(took.count()) / 1000.0);
    if (!code.empty()) e.with("code", code);
    if (!cause.empty()) e.with("cause", cause);
    services_.observer.observe(e);
}

asio::awaitable<void> download::run() {
    if (read_address()) co_await find();
    if (!ended()) select();
    if (!ended() && (asked().is_head() || enter())) co_await open();
    if (!ended() && asked().is_head()) {
        const auto* entry = services_.catalog.find(job_->asked.export_name);
        auto head = file_head(*job_, entry, part_);
        co_await exchange_.reply_head(std::move(head));
        co_return;
    }
    if (!ended()) co_await send();
    if (gone_ || exchange_.answered() || !answer_) co_return;
    if (!code_.empty() && sent_ == 0) attempt_.refuse(code_);
    co_await exchange_.reply(std::move(*answer_));
}

}  // namespace

asio::awaitable<void> file_endpoint::serve(exchange& x) {
    download d{services_, x};
    co_await d.run();
}

}  // namespace exportd::http
