#pragma once

#include <exportd/observe/event.hpp>

#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Keeps what it is told; for any thread.
class recorder final : public exportd::observe::observer {
public:
    void observe(const exportd::observe::event& e) noexcept override {
        const std::lock_guard lock{mutex_};
        events_.push_back(e);
    }

    std::vector<exportd::observe::event> all(std::string_view name) const {
        const std::lock_guard lock{mutex_};
        std::vector<exportd::observe::event> found;
        for (const auto& e : events_) {
            if (e.name() == name) found.push_back(e);
        }
        return found;
    }

private:
    mutable std::mutex mutex_;
    std::vector<exportd::observe::event> events_;
};

// The field's value; the event has to have it.
template <class T>
T field_of(const exportd::observe::event& e, std::string_view key) {
    for (const auto& f : e.fields()) {
        if (f.key == key) return std::get<T>(f.value);
    }
    throw std::out_of_range{std::string{key}};
}

inline bool has_field(const exportd::observe::event& e, std::string_view key) {
    for (const auto& f : e.fields()) {
        if (f.key == key) return true;
    }
    return false;
}
