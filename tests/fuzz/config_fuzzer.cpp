// Any text as the configuration, as an export's definition and as the access file: read, or refused
// with a reason.
#include <exportd/access/policy.hpp>
#include <exportd/app/config_file.hpp>
#include <exportd/exports/definition.hpp>

#include "check.hpp"
#include "scratch.hpp"
#include <algorithm>
#include <stdexcept>

using namespace exportd;

namespace {

template <class Read>
void read_or_refuse(Read read) {
    try {
        read();
    } catch (const std::runtime_error& e) {
        fuzz::check(*e.what() != '\0', "a reason");
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    // toml++ 3.3 loses its way in its own table of characters when a bare key has one beyond ASCII.
    if (std::any_of(data, data + size, [](std::uint8_t byte) { return byte >= 0x80; })) return -1;
    static const fuzz::scratch place;
    static const auto sql = place.write("orders.sql", "SELECT 1 WHERE $1 < $2");
    const auto file = place.write("orders.toml", fuzz::as_text(data, size));
    std::vector<std::string> errors;
    app::config c;
    app::read_config_file(file, c, errors);
    for (const auto& each : errors)
        fuzz::check(!each.empty(), "a reason");
    if (errors.empty()) app::validate(c);
    read_or_refuse([&] { access::policy::read_unchecked(file); });
    read_or_refuse([&] { exports::read_definition(file, place.directory()); });
    return 0;
}
