#include <exportd/jobs/link_token.hpp>
#include <exportd/jobs/table_desk.hpp>

#include <utility>

namespace exportd::jobs {
namespace asio = boost::asio;
using observe::event;
using observe::level;

namespace {

// 3F000 invalid_schema_name, 42P01 undefined_table, 42703 undefined_column: the schema is not
// there, or older than this program.
bool means_not_migrated(const std::string& sqlstate) {
    return sqlstate == "3F000" || sqlstate == "42P01" || sqlstate == "42703";
}

[[noreturn]] void refuse(observe::observer& told, std::string_view what, const std::exception& e,
                         desk_fault why) {
    told.observe(
        event{level::warning, "job_desk_failed"}.with("what", what).with("cause", e.what()));
    throw desk_error{why};
}

class stored_file final : public file_download {
public:
    stored_file(std::shared_ptr<file_reader> reader, work::worker_pool& threads,
                observe::observer& told, std::string caller)
        : reader_{std::move(reader)}, threads_{threads}, told_{told}, caller_{std::move(caller)} {}

    std::uint64_t size() const noexcept override { return reader_->size(); }

    asio::awaitable<std::string> read(std::uint64_t offset, std::size_t most) override {
        auto task = [reader = reader_, offset, most](const std::stop_token&) {
            std::string bytes(most, '\0');
            bytes.resize(reader->read(offset, bytes));
            return bytes;
        };
        try {
            co_return co_await threads_.run(work::lane::brief, caller_, std::move(task));
        } catch (const work::pool_full& e) {
            refuse(told_, "read", e, desk_fault::unavailable);
        } catch (const std::runtime_error& e) {
            // A cancelled download is none of these.
            if (dynamic_cast<const boost::system::system_error*>(&e) != nullptr) throw;
            refuse(told_, "read", e, desk_fault::unavailable);
        }
    }

private:
    std::shared_ptr<file_reader> reader_;
    work::worker_pool& threads_;
    observe::observer& told_;
    std::string caller_;
};

}  // namespace

template <class Work>
asio::awaitable<std::invoke_result_t<Work&, job_store&>> table_desk::ask(std::string caller,
                                                                         Work work) {
    try {
        co_return co_await table_.ask(std::move(caller), std::move(work));
    } catch (const sql::error& e) {
        refuse(
            told_, "table", e,
            means_not_migrated(e.sqlstate()) ? desk_fault::not_migrated : desk_fault::unavailable);
    } catch (const work::pool_full& e) {
        refuse(told_, "table", e, desk_fault::unavailable);
    }
}

asio::awaitable<std::variant<submitted, submit_refusal>> table_desk::submit(job_request r) {
    if (!options_.ready()) throw desk_error{desk_fault::unavailable};
    std::variant<submitted, submit_refusal> end{submit_refusal::no_mail};
    if (r.notify && !options_.may_notify(*r.notify)) co_return end;
    auto work = [r, limits = options_.limits](job_store& s) { return s.submit(r, limits); };
    end = co_await ask(r.caller, std::move(work));
    if (const auto* made = std::get_if<submitted>(&end); made != nullptr && made->created)
        changed_();
    co_return end;
}

asio::awaitable<std::optional<job>> table_desk::find(std::string owner, std::string id) {
    auto work = [owner, id](job_store& s) { return s.find(owner, id); };
    co_return co_await ask(owner, std::move(work));
}

asio::awaitable<std::optional<job>> table_desk::find_by_token(std::string id, std::string token) {
    auto work = [id, digest = digest_of(token)](job_store& s) {
        return s.find_by_link(id, digest);
    };
    co_return co_await ask(id, std::move(work));
}

asio::awaitable<std::vector<job>> table_desk::list(std::string owner, std::size_t most) {
    auto work = [owner, most](job_store& s) { return s.list(owner, most); };
    co_return co_await ask(owner, std::move(work));
}

asio::awaitable<std::optional<job>> table_desk::cancel(std::string owner, std::string id) {
    auto work = [owner, id](job_store& s) { return s.cancel(owner, id); };
    auto found = co_await ask(owner, std::move(work));
    changed_();
    co_return found;
}

asio::awaitable<std::unique_ptr<file_download>> table_desk::open(job j) {
    std::unique_ptr<file_download> download;
    if (j.state != job_state::complete || !j.file) co_return download;
    // A worker pool's result is copied nowhere, but its task is: hence the shared pointer.
    auto task = [this, key = *j.file](const std::stop_token& stop) {
        return std::shared_ptr<file_reader>{files_.open(key, stop)};
    };
    try {
        auto reader = co_await threads_.run(work::lane::brief, j.asked.caller, std::move(task));
        download =
            std::make_unique<stored_file>(std::move(reader), threads_, told_, j.asked.caller);
    } catch (const no_such_file&) {
        // Gone between the look at the table and now.
    } catch (const store_error& e) {
        refuse(told_, "open", e, desk_fault::unavailable);
    } catch (const work::pool_full& e) {
        refuse(told_, "open", e, desk_fault::unavailable);
    }
    co_return download;
}

}  // namespace exportd::jobs
