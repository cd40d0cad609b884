// Nanoseconds a value takes, and milliseconds to make each formatter.
//   format_bench [locale]
#include <exportd/format/date_time.hpp>
#include <exportd/format/iso.hpp>
#include <exportd/format/money.hpp>
#include <exportd/format/number.hpp>

#include <array>
#include <chrono>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

using namespace exportd::format;

namespace {

struct order {
    std::int64_t id = 0;
    std::array<char, 14> total{};  // as numeric_send writes it
    std::size_t total_size = 0;
    std::string_view currency;
    std::int64_t created = 0;
};

void put_u16(order& o, std::uint64_t value) {
    o.total[o.total_size++] = static_cast<char>(value >> 8 & 255);
    o.total[o.total_size++] = static_cast<char>(value & 255);
}

std::vector<order> make_orders(std::size_t count) {
    constexpr std::array<std::string_view, 4> currencies{"GBP", "EUR", "USD", "JPY"};
    std::mt19937_64 random(1);
    std::vector<order> orders(count);
    std::int64_t time = 790'000'000'000'000;
    for (std::size_t i = 0; i < count; ++i) {
        order& o = orders[i];
        o.id = static_cast<std::int64_t>(i + 1);
        const std::uint64_t pence = random() % 1'000'000;
        put_u16(o, 2);
        put_u16(o, 0);
        put_u16(o, random() % 20 == 0 ? 0x4000 : 0);
        put_u16(o, 2);
        put_u16(o, pence / 100);
        put_u16(o, pence % 100 * 100);
        o.currency = currencies[random() % 8 < 5 ? 0 : random() % currencies.size()];
        o.created = time += static_cast<std::int64_t>(random() % 300'000'000);
    }
    return orders;
}

double nanoseconds(std::chrono::steady_clock::duration d) {
    return std::chrono::duration<double, std::nano>(d).count();
}

template <class Function>
void measure(const char* name, const std::vector<order>& orders, Function write) {
    exportd::rows::byte_buffer out(std::size_t{1} << 16);
    double best = 1e9;
    for (int round = 0; round < 400; ++round) {
        const auto start = std::chrono::steady_clock::now();
        for (const order& o : orders) {
            if (out.size() > 60'000) out.clear();
            write(out, o);
        }
        const auto took = std::chrono::steady_clock::now() - start;
        best = std::min(best, nanoseconds(took) / static_cast<double>(orders.size()));
    }
    std::printf("%-12s %6.1f ns\n", name, best);
}

template <class Function>
auto make(const char* name, Function create) {
    const auto start = std::chrono::steady_clock::now();
    auto made = create();
    std::printf("make %-10s %6.1f ms\n", name,
                nanoseconds(std::chrono::steady_clock::now() - start) / 1e6);
    return made;
}

}  // namespace

int main(int argc, char** argv) {
    const std::string locale = argc > 1 ? argv[1] : "en-GB";
    const auto money = make("money", [&] { return money_formatter::create(locale); });
    const auto number = make("number", [&] { return number_formatter::create(locale); });
    const auto zone = make("zone", [] { return time_zone::load("Europe/London"); });
    const auto date = make("date", [&] { return date_time_formatter::create(locale, zone); });
    const auto orders = make_orders(4'000);

    const auto put_money = [&](auto& out, const order& o) {
        money->append(out, *parse_numeric({o.total.data(), o.total_size}), o.currency);
    };
    measure("money", orders, put_money);
    measure("date", orders, [&](auto& out, const order& o) { date->append(out, o.created); });
    measure("number", orders, [&](auto& out, const order& o) { number->append(out, o.id); });
    measure("row", orders, [&](auto& out, const order& o) {
        number->append(out, o.id);
        put_money(out, o);
        date->append(out, o.created);
    });
    measure("iso instant", orders, [](auto& out, const order& o) {
        std::array<char, 8> cell;
        for (int i = 0; i < 8; ++i)
            cell[static_cast<std::size_t>(i)] = static_cast<char>(o.created >> (56 - 8 * i));
        append_iso_timestamptz(out, {cell.data(), cell.size()});
    });
    measure("raw numeric", orders, [](auto& out, const order& o) {
        append_numeric(out, {o.total.data(), o.total_size});
    });
}
