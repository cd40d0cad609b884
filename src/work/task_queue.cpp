#include <exportd/work/task_queue.hpp>

#include <algorithm>
#include <utility>

namespace exportd::work {

bool task_queue::push(const std::string& caller, id task) {
    if (size_ >= most_) return false;
    const auto own = std::find_if(lines_.begin(), lines_.end(),
                                  [&](const line& l) { return l.caller == caller; });
    if (own == lines_.end())
        lines_.push_back({caller, {task}});
    else
        own->tasks.push_back(task);
    ++size_;
    return true;
}

std::optional<task_queue::id> task_queue::pop() {
    if (lines_.empty()) return std::nullopt;
    line first = std::move(lines_.front());
    lines_.pop_front();
    const id task = first.tasks.front();
    first.tasks.pop_front();
    --size_;
    if (!first.tasks.empty()) lines_.push_back(std::move(first));
    return task;
}

bool task_queue::remove(id task) {
    for (auto l = lines_.begin(); l != lines_.end(); ++l) {
        const auto found = std::find(l->tasks.begin(), l->tasks.end(), task);
        if (found == l->tasks.end()) continue;
        l->tasks.erase(found);
        --size_;
        if (l->tasks.empty()) lines_.erase(l);
        return true;
    }
    return false;
}

}  // namespace exportd::work
