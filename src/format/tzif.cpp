#include "tzif.hpp"

#include <cstddef>

namespace exportd::format {

namespace {

std::uint64_t big_endian(std::string_view bytes) noexcept {
    std::uint64_t n = 0;
    for (const char c : bytes)
        n = n << 8 | static_cast<unsigned char>(c);
    return n;
}

constexpr std::size_t header_size = 44;

struct header {
    char version = '\0';
    std::size_t ut_indicators = 0;
    std::size_t standard_indicators = 0;
    std::size_t leap_seconds = 0;
    std::size_t transitions = 0;
    std::size_t types = 0;
    std::size_t name_bytes = 0;

    std::size_t body_size(std::size_t time_size) const noexcept {
        return transitions * time_size + transitions + types * 6 + name_bytes +
               leap_seconds * (time_size + 4) + standard_indicators + ut_indicators;
    }
};

std::optional<header> read_header(std::string_view bytes) noexcept {
    if (bytes.size() < header_size || !bytes.starts_with("TZif")) return std::nullopt;
    const auto count = [&](std::size_t i) {
        return static_cast<std::size_t>(big_endian(bytes.substr(20 + i * 4, 4)));
    };
    return header{.version = bytes[4],
                  .ut_indicators = count(0),
                  .standard_indicators = count(1),
                  .leap_seconds = count(2),
                  .transitions = count(3),
                  .types = count(4),
                  .name_bytes = count(5)};
}

// A body with times of 8 bytes.
std::optional<tzif> read_body(const header& h, std::string_view body) {
    const std::string_view times = body.substr(0, h.transitions * 8);
    const std::string_view indices = body.substr(times.size(), h.transitions);
    std::vector<tzif::type> types;
    for (std::size_t i = 0; i < h.types; ++i) {
        const std::string_view at = body.substr(times.size() + indices.size() + i * 6, 6);
        types.push_back({static_cast<std::int32_t>(big_endian(at.substr(0, 4))), at[4] != 0});
    }
    tzif zone;
    zone.before = types.front();
    for (std::size_t i = 0; i < h.transitions; ++i) {
        const auto index = static_cast<std::size_t>(static_cast<unsigned char>(indices[i]));
        if (index >= types.size()) return std::nullopt;
        const auto at = static_cast<std::int64_t>(big_endian(times.substr(i * 8, 8)));
        if (i != 0 && at <= zone.transitions.back().at) return std::nullopt;
        zone.transitions.push_back({at, types[index]});
    }
    return zone;
}

}  // namespace

std::optional<tzif> parse_tzif(std::string_view bytes) {
    // The first block repeats the second one in 32 bits, for old readers.
    const auto old = read_header(bytes);
    if (!old || old->version < '2') return std::nullopt;
    const std::size_t skip = header_size + old->body_size(4);
    if (bytes.size() < skip) return std::nullopt;
    bytes.remove_prefix(skip);
    const auto h = read_header(bytes);
    if (!h || h->types == 0) return std::nullopt;
    bytes.remove_prefix(header_size);
    const std::size_t size = h->body_size(8);
    if (bytes.size() < size + 2) return std::nullopt;
    auto zone = read_body(*h, bytes.substr(0, size));
    bytes.remove_prefix(size);
    if (!zone || !bytes.starts_with('\n') || !bytes.ends_with('\n')) return std::nullopt;
    zone->footer = bytes.substr(1, bytes.size() - 2);
    return zone;
}

}  // namespace exportd::format
