#include <exportd/exports/admission.hpp>

namespace exportd::exports {

admission::admission(std::size_t max_exports, std::size_t exports_per_client)
    : max_exports_{max_exports}, exports_per_client_{exports_per_client} {
}

admission::decision admission::enter(std::string client) {
    const auto own = by_client_.find(client);
    if (own != by_client_.end() && own->second >= exports_per_client_) {
        return {std::nullopt, refusal::too_many_for_client};
    }
    if (running_ >= max_exports_) return {std::nullopt, refusal::too_many_in_all};
    ++by_client_[client];
    ++running_;
    return {ticket{*this, std::move(client)}};
}

admission::ticket::~ticket() {
    if (owner_ == nullptr) return;
    --owner_->running_;
    const auto own = owner_->by_client_.find(client_);
    if (--own->second == 0) owner_->by_client_.erase(own);
}

}  // namespace exportd::exports
