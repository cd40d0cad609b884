#include <exportd/jobs/job.hpp>

#include <array>
#include <utility>

namespace exportd::jobs {

namespace {

constexpr std::array<std::pair<job_state, std::string_view>, 6> job_states{{
    {job_state::queued, "queued"},
    {job_state::running, "running"},
    {job_state::complete, "complete"},
    {job_state::failed, "failed"},
    {job_state::cancelled, "cancelled"},
    {job_state::expired, "expired"},
}};

constexpr std::array<std::pair<mail_state, std::string_view>, 4> mail_states{{
    {mail_state::none, "none"},
    {mail_state::waiting, "waiting"},
    {mail_state::sent, "sent"},
    {mail_state::failed, "failed"},
}};

template <class Table, class State>
std::string_view name_in(const Table& table, State wanted) noexcept {
    for (const auto& [state, name] : table) {
        if (state == wanted) return name;
    }
    return "unknown";
}

template <class State, class Table>
std::optional<State> state_in(const Table& table, std::string_view wanted) noexcept {
    for (const auto& [state, name] : table) {
        if (name == wanted) return state;
    }
    return std::nullopt;
}

}  // namespace

std::string_view name_of(job_state s) noexcept {
    return name_in(job_states, s);
}

std::string_view name_of(mail_state s) noexcept {
    return name_in(mail_states, s);
}

std::optional<job_state> job_state_of(std::string_view name) noexcept {
    return state_in<job_state>(job_states, name);
}

std::optional<mail_state> mail_state_of(std::string_view name) noexcept {
    return state_in<mail_state>(mail_states, name);
}

}  // namespace exportd::jobs
