#include <exportd/exports/receipts.hpp>

namespace exportd::exports {

std::string_view name_of(receipt_state s) noexcept {
    switch (s) {
        case receipt_state::running:
            return "running";
        case receipt_state::complete:
            return "complete";
        case receipt_state::failed:
            return "failed";
        case receipt_state::aborted:
            return "aborted";
    }
    return "unknown";
}

receipt_store::receipt_store(std::size_t capacity, std::chrono::milliseconds time_to_live)
    : capacity_{capacity}, time_to_live_{time_to_live} {
}

std::shared_ptr<receipt> receipt_store::open(receipt r,
                                             const std::optional<std::string>& caller_id) {
    make_room(r.started_at);
    // An id that one owner chose is nobody else's.
    const auto chosen = caller_id ? r.owner + ' ' + *caller_id : std::string{};
    if (caller_id) {
        const auto taken = by_id_.find(chosen);
        if (taken != by_id_.end()) {
            const auto& other = *taken->second;
            if (other.state == receipt_state::running || other.request_key != r.request_key)
                return nullptr;
        }
    }
    auto kept = std::make_shared<receipt>(std::move(r));
    by_id_[kept->export_id] = kept;
    in_order_.push_back({kept->export_id, kept});
    if (caller_id) {
        by_id_[chosen] = kept;
        in_order_.push_back({chosen, kept});
    }
    return kept;
}

std::shared_ptr<const receipt> receipt_store::find(std::string_view owner, std::string_view id,
                                                   clock::time_point now) {
    auto found = by_id_.find(std::string{owner} + ' ' + std::string{id});
    if (found == by_id_.end()) found = by_id_.find(id);
    if (found == by_id_.end() || found->second->owner != owner || expired(*found->second, now))
        return nullptr;
    return found->second;
}

std::vector<std::shared_ptr<const receipt>> receipt_store::list(std::string_view owner,
                                                                std::size_t most,
                                                                clock::time_point now) const {
    std::vector<std::shared_ptr<const receipt>> found;
    for (auto at = in_order_.rbegin(); at != in_order_.rend() && found.size() < most; ++at) {
        const auto& kept = at->kept;
        if (at->id == kept->export_id && kept->owner == owner && !expired(*kept, now))
            found.push_back(kept);
    }
    return found;
}

bool receipt_store::expired(const receipt& r, clock::time_point now) const {
    return r.finished_at && now - *r.finished_at > time_to_live_;
}

// Drops from the front, so the work is spread evenly over the calls. An entry whose id has been
// used again since belongs to a younger receipt and stays findable.
void receipt_store::make_room(clock::time_point now) {
    for (auto looks = in_order_.size(); looks > 0 && !in_order_.empty(); --looks) {
        auto& oldest = in_order_.front();
        const bool running = oldest.kept->state == receipt_state::running;
        if (!running && in_order_.size() < capacity_ && !expired(*oldest.kept, now)) return;
        if (running) {
            if (in_order_.size() < capacity_) return;
            in_order_.push_back(std::move(oldest));
        } else {
            const auto found = by_id_.find(oldest.id);
            if (found != by_id_.end() && found->second == oldest.kept) by_id_.erase(found);
        }
        in_order_.pop_front();
    }
}

}  // namespace exportd::exports
