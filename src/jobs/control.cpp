#include <exportd/jobs/control.hpp>

namespace exportd::jobs {

control::control(sql::session_options database, std::string name, std::size_t queue)
    : session_{std::move(database)},
      store_{session_, std::move(name)},
      thread_{work::one_thread(queue)} {
}

}  // namespace exportd::jobs
