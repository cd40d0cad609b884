#include <exportd/pg/fetch_size.hpp>

#include "catch.hpp"

using exportd::pg::fetch_size;
using namespace std::chrono_literals;

TEST_CASE("the fetch grows eightfold at most, up to 96 KiB") {
    fetch_size n;
    CHECK(n.rows() == 1);
    n.observe(1, 80, 0ms);
    CHECK(n.rows() == 8);
    n.observe(64, 64 * 80, 0ms);
    CHECK(n.rows() == 512);
    n.observe(512, 512 * 80, 0ms);
    CHECK(n.rows() == 1228);
    n.observe(1228, 1228 * 80, 0ms);
    CHECK(n.rows() == 1228);
}

TEST_CASE("narrow rows stop at two thousand, wide ones at one") {
    fetch_size n;
    for (int i = 0; i < 6; ++i)
        n.observe(n.rows(), n.rows() * 4, 0ms);
    CHECK(n.rows() == 2'000);
    n.observe(1, 1 << 20, 0ms);
    CHECK(n.rows() == 1);
}

TEST_CASE("a fetch that took long is followed by one of 250 ms") {
    fetch_size n;
    n.observe(64, 64 * 80, 6400ms);
    CHECK(n.rows() == 2);
    n.observe(2, 160, 200ms);
    CHECK(n.rows() == 2);
    n.observe(2, 160, 1ms);
    CHECK(n.rows() == 16);
}

TEST_CASE("many queries at once take smaller batches, but no less than 24 KiB") {
    const auto rows_beside = [](std::size_t running) {
        fetch_size n;
        n.observe(1'000, 1'000 * 80, 0ms, running);
        return n.rows();
    };
    CHECK(rows_beside(1) == 1228);
    CHECK(rows_beside(4) == 1228);
    CHECK(rows_beside(8) == 614);
    CHECK(rows_beside(16) == 307);
    CHECK(rows_beside(64) == 307);
}
