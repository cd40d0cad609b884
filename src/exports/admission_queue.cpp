#include <exportd/exports/admission_queue.hpp>

#include <algorithm>

namespace exportd::exports {

admission_queue::admission_queue(std::size_t most_running, std::size_t most_waiting,
                                 std::size_t most_for_client)
    : most_running_{most_running}, most_waiting_{most_waiting}, most_for_client_{most_for_client} {
}

admission_queue::entered admission_queue::enter(const std::string& client) {
    const auto known = clients_.find(client);
    if (known != clients_.end() &&
        known->second.running + known->second.waiting >= most_for_client_) {
        return {answer::too_many_for_client};
    }
    if (running_ < most_running_) {
        ++running_;
        ++clients_[client].running;
        return {answer::runs};
    }
    if (queue_.size() >= most_waiting_) return {answer::queue_full};
    queue_.push_back({++last_place_, client});
    ++clients_[client].waiting;
    return {answer::waits, last_place_};
}

std::optional<admission_queue::place> admission_queue::leave(const std::string& client) {
    --running_;
    --clients_[client].running;
    forget_if_idle(client);
    const auto chosen = next();
    if (chosen == queue_.end()) return std::nullopt;
    const place at = chosen->at;
    auto& owner = clients_[chosen->client];
    --owner.waiting;
    ++owner.running;
    ++running_;
    queue_.erase(chosen);
    return at;
}

void admission_queue::give_up(place at) {
    const auto found =
        std::find_if(queue_.begin(), queue_.end(), [at](const waiter& w) { return w.at == at; });
    if (found == queue_.end()) return;
    const std::string client = std::move(found->client);
    queue_.erase(found);
    --clients_[client].waiting;
    forget_if_idle(client);
}

std::vector<admission_queue::waiter>::iterator admission_queue::next() {
    const auto running_of = [this](const waiter& w) { return clients_[w.client].running; };
    return std::min_element(queue_.begin(), queue_.end(), [&](const waiter& a, const waiter& b) {
        return running_of(a) < running_of(b);
    });
}

void admission_queue::forget_if_idle(const std::string& client) {
    const auto found = clients_.find(client);
    if (found->second.running + found->second.waiting == 0) clients_.erase(found);
}

}  // namespace exportd::exports
