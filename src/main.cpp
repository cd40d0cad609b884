#include <exportd/app/application.hpp>
#include <exportd/app/command_line.hpp>
#include <exportd/app/config.hpp>
#include <exportd/app/probe.hpp>

#include <cstdio>
#include <malloc.h>
#include <unistd.h>

int main(int argc, char** argv) {
    using namespace exportd::app;
    // Each batch of rows is a few dozen blocks that are freed together. By default glibc gives the
    // memory back to the kernel each time and fetches it again for the next one.
    mallopt(M_TRIM_THRESHOLD, 16 * 1024 * 1024);
    mallopt(M_MMAP_THRESHOLD, 1024 * 1024);
    const auto env = read_environment(environ);
    const auto asked = parse_command_line(argc, argv, env, versions());
    if (asked.what == command::action::print) {
        std::fputs(asked.text.c_str(), asked.exit_code == 0 ? stdout : stderr);
        return asked.exit_code;
    }
    try {
        if (asked.what == command::action::token) return make_new_token(asked.made);
        const auto c = load_config(asked.config_file, env);
        if (asked.what == command::action::probe) return probe(c, asked.asks);
        const auto faults = validate(c);
        for (const auto& fault : faults)
            std::fprintf(stderr, "exportd: %s\n", fault.c_str());
        if (!faults.empty()) return exit_failed;
        if (asked.what == command::action::migrate) return migrate(c);
        return asked.what == command::action::serve ? serve(c) : check(c);
    } catch (const config_error& e) {
        for (const auto& line : e.lines())
            std::fprintf(stderr, "exportd: %s\n", line.c_str());
        return exit_failed;
    }
}
