#pragma once

#include <exportd/jobs/control.hpp>
#include <exportd/jobs/file_store.hpp>
#include <exportd/jobs/job_desk.hpp>
#include <exportd/observe/event.hpp>
#include <exportd/work/worker_pool.hpp>

#include <functional>
#include <string>

namespace exportd::jobs {

struct desk_options {
    job_limits limits;
    // Whether files can be written now.
    std::function<bool()> ready = [] { return true; };
    // Whether a letter may go to an address.
    std::function<bool(const std::string&)> may_notify = [](const std::string&) { return false; };
};

// The desk over the job table and the file store.
class table_desk final : public job_desk {
public:
    // `files_threads` wait for the file store. `changed` is told when there may be work for
    // a runner. Everything outlives it.
    table_desk(control& table, file_store& files, work::worker_pool& files_threads,
               desk_options options, observe::observer& told, std::function<void()> changed)
        : table_{table},
          files_{files},
          threads_{files_threads},
          options_{std::move(options)},
          told_{told},
          changed_{std::move(changed)} {}

    boost::asio::awaitable<std::variant<submitted, submit_refusal>> submit(job_request r) override;
    boost::asio::awaitable<std::optional<job>> find(std::string owner, std::string id) override;
    boost::asio::awaitable<std::optional<job>> find_by_token(std::string id,
                                                             std::string token) override;
    boost::asio::awaitable<std::vector<job>> list(std::string owner, std::size_t most) override;
    boost::asio::awaitable<std::optional<job>> cancel(std::string owner, std::string id) override;
    boost::asio::awaitable<std::unique_ptr<file_download>> open(job j) override;

private:
    template <class Work>
    boost::asio::awaitable<std::invoke_result_t<Work&, job_store&>> ask(std::string caller,
                                                                        Work work);

    control& table_;
    file_store& files_;
    work::worker_pool& threads_;
    desk_options options_;
    observe::observer& told_;
    std::function<void()> changed_;
};

}  // namespace exportd::jobs
