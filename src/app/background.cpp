#include "background.hpp"

#include <exportd/jobs/mailer.hpp>

#include <fmt/format.h>

#include "file_stores.hpp"
#include "job_session.hpp"
#include "letters.hpp"
#include "task_connection.hpp"
#include <algorithm>
#include <unistd.h>

namespace exportd::app {

namespace {

// Operations on the job table that may wait for their turn.
constexpr std::size_t table_queue = 1024;

// Threads that wait for the file store on behalf of downloads, and reads that may wait for them.
constexpr std::size_t file_threads_count = 4;
constexpr std::size_t file_queue = 4096;

database_config one_connection_of(const config& c) {
    database_config one = c.database;
    one.pool_size = 1;
    // Nobody waits before the export: it has a worker thread for itself.
    one.pool_wait = std::max<std::chrono::milliseconds>(one.pool_wait, one.connect_timeout * 6);
    return one;
}

// Shows in the job table whose lease it is: the machine, or the pod, and the process.
std::string name_of_process() {
    constexpr std::size_t longest = 255;
    std::string host(longest, '\0');
    if (::gethostname(host.data(), host.size()) != 0) host = "unknown";
    host.resize(std::min(host.find('\0'), host.size()));
    return fmt::format("{}/{}", host, ::getpid());
}

work::worker_pool_options file_threads_options() {
    work::worker_pool_options o;
    o.threads = file_threads_count;
    o.queue = file_queue;
    return o;
}

// Asked again when a job begins: it may have waited while its owner lost the right to it.
bool permitted(const access::policy_store& policies, const jobs::job_request& r) {
    const auto who = access::principal::of(r.owner, r.groups);
    const auto may =
        policies.current().permits(who, r.export_name, std::chrono::system_clock::now());
    return may && (may->raw || r.values != exports::values::raw);
}

jobs::runner_options runner_options_of(const config& c, const jobs::janitor& store,
                                       access_services access) {
    jobs::runner_options o;
    o.poll = c.jobs.poll;
    o.lease = c.jobs.lease;
    o.most_attempts = static_cast<int>(c.jobs.attempts);
    o.keep_file = c.jobs.expiry;
    o.ready = [&store] { return store.store_usable(); };
    o.permitted = [&policies = access.policies](const jobs::job_request& r) {
        return permitted(policies, r);
    };
    o.completed = [&quota = access.quota](const jobs::job_request& r, std::uint64_t rows) {
        quota.count_rows(r.caller, rows, std::chrono::system_clock::now());
    };
    return o;
}

jobs::janitor_options janitor_options_of(const config& c) {
    jobs::janitor_options o;
    o.keep_job = c.jobs.retention;
    // What is to vanish after seconds is looked for more often.
    o.every = std::clamp<std::chrono::milliseconds>(
        c.jobs.expiry / 4, std::chrono::milliseconds{500}, std::chrono::seconds{10});
    return o;
}

jobs::sender_options sender_options_of(const config& c) {
    jobs::sender_options o;
    o.poll = c.jobs.poll;
    // What one delivery takes, the name lookup that libcurl can't interrupt, and some.
    o.hold = 2 * c.mail.timeout + std::chrono::minutes{2};
    return o;
}

jobs::desk_options desk_options_of(const config& c, const jobs::janitor& store) {
    jobs::desk_options o;
    o.limits.open_per_caller = c.jobs.per_caller;
    o.limits.queued = c.jobs.max_queued;
    o.ready = [&store] { return store.store_usable(); };
    o.may_notify = [url = c.mail.url, domains = c.mail.domains](const std::string& address) {
        return !url.empty() && jobs::is_allowed(address, domains);
    };
    return o;
}

}  // namespace

background::background(const config& c, boost::asio::any_io_executor loop,
                       const exports::catalog& catalog, work::worker_pool& workers,
                       access_services access, observe::observer& told, observe::gauges& state)
    : one_connection{one_connection_of(c)},
      files{make_file_store(c)},
      table{job_session_options(c, "exportd jobs"), name_of_process(), table_queue},
      file_threads{file_threads_options()},
      runner{loop,
             table,
             workers,
             {catalog, *files,
              [this, &told](boost::asio::io_context& own) {
                  return std::make_unique<task_connection>(own, one_connection, told);
              },
              c.server.chunk_bytes, c.limits.first_row_timeout, c.jobs.deadline},
             runner_options_of(c, janitor, access),
             access.audit,
             told,
             state},
      janitor{loop, table, *files, file_threads, janitor_options_of(c), told, state},
      desk{table,
           *files,
           file_threads,
           desk_options_of(c, janitor),
           told,
           [this] {
               runner.wake();
               janitor.wake();
           }},
      mail{make_mailer(c)} {
    if (mail != nullptr) {
        letters.emplace(loop, table, *mail, letter_writer(catalog, c.server.public_url),
                        sender_options_of(c), told);
    }
}

void background::start() {
    runner.start();
    janitor.start();
    if (letters) letters->start();
}

boost::asio::awaitable<void> background::drain(std::chrono::milliseconds most) {
    janitor.stop();
    if (letters) letters->stop();
    co_await runner.drain(most);
    files->close();
    table.close();
    file_threads.close();
}

}  // namespace exportd::app
