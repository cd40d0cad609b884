#pragma once

#include <sys/wait.h>

#include <cstdlib>
#include <exception>
#include <unistd.h>

namespace exportd::jobs::test {

// Runs `work` in a process of its own and returns what it returned; 128 and the signal's number if
// a signal ended it, 255 if it threw. Assertions do not work in there.
template <class Work>
int in_own_process(Work work) {
    const pid_t child = ::fork();
    if (child < 0) return 255;
    if (child == 0) {
        try {
            ::_exit(work());
        } catch (...) {
            ::_exit(255);
        }
    }
    int status = 0;
    if (::waitpid(child, &status, 0) != child) return 255;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace exportd::jobs::test
