#include <exportd/access/network.hpp>
#include <exportd/access/text.hpp>

#include <algorithm>
#include <charconv>
#include <string>

namespace exportd::access {
namespace {

namespace ip = boost::asio::ip;

std::optional<ip::address> read_address(std::string_view text) {
    boost::system::error_code ec;
    auto address = ip::make_address(std::string{text}, ec);
    if (ec) return std::nullopt;
    if (address.is_v6() && address.to_v6().is_v4_mapped())
        address = ip::make_address_v4(ip::v4_mapped, address.to_v6());
    return address;
}

unsigned bits_of(const ip::address& a) {
    return a.is_v4() ? 32 : 128;
}

bool bit(const ip::address& a, unsigned n) {
    const auto at = [n](const auto& bytes) { return (bytes[n / 8] >> (7 - n % 8)) & 1U; };
    return (a.is_v4() ? at(a.to_v4().to_bytes()) : at(a.to_v6().to_bytes())) != 0;
}

}  // namespace

bool is_address(std::string_view text) {
    return read_address(text).has_value();
}

std::optional<networks::network> networks::parse_one(std::string_view text) {
    const auto slash = text.find('/');
    const auto base = read_address(text.substr(0, slash));
    if (!base) return std::nullopt;
    network n{*base, bits_of(*base)};
    if (slash == std::string_view::npos) return n;
    const auto digits = text.substr(slash + 1);
    const auto* end = digits.data() + digits.size();
    const auto parsed = std::from_chars(digits.data(), end, n.prefix);
    if (parsed.ec != std::errc{} || parsed.ptr != end || n.prefix > bits_of(*base))
        return std::nullopt;
    for (unsigned i = n.prefix; i < bits_of(*base); ++i) {
        if (bit(*base, i)) return std::nullopt;
    }
    return n;
}

std::optional<networks> networks::parse(std::string_view text) {
    networks list;
    if (trim(text).empty()) return list;
    while (true) {
        const auto comma = text.find(',');
        const auto one = parse_one(trim(text.substr(0, comma)));
        if (!one) return std::nullopt;
        list.all_.push_back(*one);
        if (comma == std::string_view::npos) return list;
        text.remove_prefix(comma + 1);
    }
}

bool networks::contains(std::string_view address) const {
    const auto a = read_address(address);
    if (!a) return false;
    return std::any_of(all_.begin(), all_.end(), [&](const network& n) {
        if (n.base.is_v4() != a->is_v4()) return false;
        for (unsigned i = 0; i < n.prefix; ++i) {
            if (bit(n.base, i) != bit(*a, i)) return false;
        }
        return true;
    });
}

}  // namespace exportd::access
