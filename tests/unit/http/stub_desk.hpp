#pragma once

#include <exportd/exports/admission.hpp>
#include <exportd/http/job_services.hpp>
#include <exportd/jobs/job_desk.hpp>

#include <boost/asio/io_context.hpp>

#include "../access/recorded_audit.hpp"
#include "../observe/recorder.hpp"
#include "source_directory.hpp"
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace exportd::http {

inline const std::string stub_id = "0a72d61d-cc28-4b80-bf1c-8a80ea4e01ae";
inline const std::string stub_token(43, 'T');

inline bool holds(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

inline exports::instant at(std::chrono::sys_seconds t) {
    return t;
}

// A job for January 2025 of the export orders.
inline jobs::job make_job(jobs::job_state state = jobs::job_state::queued) {
    using namespace std::chrono;
    jobs::job j;
    j.id = stub_id;
    j.asked.export_name = "orders";
    j.asked.range = {at(sys_days{2025y / 1 / 1}), at(sys_days{2025y / 2 / 1})};
    j.state = state;
    j.created_at = at(sys_days{2025y / 3 / 1} + 12h);
    return j;
}

// The same with a file: "id\n1\n" and so on, `text`.
inline jobs::job make_complete_job(std::string_view text = "id\n1\n2\n") {
    using namespace std::chrono;
    auto j = make_job(jobs::job_state::complete);
    j.attempt = 1;
    j.rows = 2;
    j.expected_rows = 2;
    j.bytes = text.size();
    j.file = "some-key";
    j.sha256 = "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae";
    j.started_at = at(sys_days{2025y / 3 / 1} + 12h + 1s);
    j.finished_at = at(sys_days{2025y / 3 / 1} + 12h + 5s);
    j.expires_at = at(sys_days{2025y / 3 / 8} + 12h + 5s);
    return j;
}

// Gives the bytes of a text.
class stub_download final : public jobs::file_download {
public:
    stub_download(std::string text, std::optional<std::uint64_t> fails_at)
        : text_{std::move(text)}, fails_at_{fails_at} {}

    std::uint64_t size() const noexcept override { return text_.size(); }
    boost::asio::awaitable<std::string> read(std::uint64_t offset, std::size_t most) override {
        if (fails_at_ && offset >= *fails_at_) throw jobs::desk_error{};
        co_return text_.substr(offset, most);
    }

private:
    std::string text_;
    std::optional<std::uint64_t> fails_at_;
};

// Answers out of its members and keeps what it was asked.
class stub_desk final : public jobs::job_desk {
public:
    template <class T>
    using awaitable = boost::asio::awaitable<T>;

    awaitable<std::variant<jobs::submitted, jobs::submit_refusal>> submit(
        jobs::job_request r) override {
        check();
        requests.push_back(std::move(r));
        co_return submit_result;
    }
    awaitable<std::optional<jobs::job>> find(std::string owner, std::string id) override {
        check();
        asked.push_back("find " + owner + " " + id);
        co_return owned(owner, id);
    }
    awaitable<std::optional<jobs::job>> find_by_token(std::string id, std::string token) override {
        check();
        asked.push_back("token " + id);
        co_return token == stub_token ? owned(job.asked.owner, id) : std::nullopt;
    }
    awaitable<std::vector<jobs::job>> list(std::string owner, std::size_t most) override {
        check();
        asked.push_back("list " + owner + " " + std::to_string(most));
        co_return std::vector<jobs::job>{job};
    }
    awaitable<std::optional<jobs::job>> cancel(std::string owner, std::string id) override {
        check();
        asked.push_back("cancel " + owner + " " + id);
        co_return owned(owner, id);
    }
    awaitable<std::unique_ptr<jobs::file_download>> open(jobs::job) override {
        check();
        std::unique_ptr<jobs::file_download> opened;
        if (text) opened = std::make_unique<stub_download>(*text, fails_at);
        co_return opened;
    }

    jobs::job job = make_job();
    std::variant<jobs::submitted, jobs::submit_refusal> submit_result;
    std::optional<jobs::desk_fault> fault;
    std::optional<std::string> text;        // of the file; none: it is gone
    std::optional<std::uint64_t> fails_at;  // an offset from which on no byte can be read
    std::vector<jobs::job_request> requests;
    std::vector<std::string> asked;

private:
    void check() const {
        if (fault) throw jobs::desk_error{*fault};
    }
    std::optional<jobs::job> owned(const std::string& owner, const std::string& id) const {
        if (owner != job.asked.owner || id != job.id) return std::nullopt;
        return job;
    }
};

// The services of a desk that is a stub.
struct job_fixture {
    stub_desk desk;
    exports::catalog catalog = exports::catalog::load(source_directory() + "/config/exports",
                                                      source_directory() + "/sql/exports");
    boost::asio::io_context loop;
    exports::admission downloads{loop.get_executor(), {2, 0, 1, std::chrono::milliseconds{0}}};
    lifecycle life;
    recorder events;
    access::policy_store policies{std::make_shared<const access::policy>(access::policy::open())};
    access::recorded_audit audit;
    access::quota quota{{}};
    job_services services{desk, catalog, policies, downloads, life, events, audit, quota, {}};
};

}  // namespace exportd::http
