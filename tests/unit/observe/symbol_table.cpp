#include <exportd/observe/stack_sampler.hpp>
#include <exportd/observe/symbol_table.hpp>

#include <catch.hpp>
#include <chrono>
#include <pthread.h>

using exportd::observe::short_name;
using exportd::observe::stack_sampler;
using exportd::observe::stack_text;
using exportd::observe::symbol_table;

namespace {

// Where only the full symbol table knows a name.
[[gnu::noinline]] std::vector<void*> sampled_within(stack_sampler& sampler) {
    REQUIRE(sampler.ask());
    // The signal is for this thread, so it is here when the call returns.
    auto frames = sampler.take();
    CHECK_FALSE(frames.empty());
    return frames;
}

}  // namespace

TEST_CASE("Names are short: no parameters, template arguments or results", "[observe][symbols]") {
    CHECK(short_name("exportd::http::session::run()") == "exportd::http::session::run");
    CHECK(short_name("exportd::http::session::run(exportd::http::session::run()::_ZN7run.Frame*) "
                     "[clone .actor]") == "exportd::http::session::run");
    CHECK(short_name("std::vector<int, std::allocator<int> >::size() const") ==
          "std::vector::size");
    CHECK(short_name("void a::(anonymous namespace)::b<int>(int, long)") == "a::b");
    CHECK(short_name("a::f(int)::{lambda()#1}::operator()() const") ==
          "a::f::{lambda#1}::operator()");
    CHECK(short_name("bool a::operator< <int>(int)") == "a::operator< <int>");
    CHECK(short_name("main") == "main");
    CHECK(short_name("") == "");
}

TEST_CASE("A thread's stack names its functions, local ones too", "[observe][symbols]") {
    stack_sampler sampler{pthread_self()};
    const symbol_table symbols;
    const auto text = stack_text(sampled_within(sampler), symbols);
    INFO(text);
    CHECK(text.find("sampled_within") != std::string::npos);
    CHECK(text.find("main") != std::string::npos);
    CHECK(text.find(" < ") != std::string::npos);
    // Taken once; the next one has to be asked for.
    CHECK(sampler.take().empty());
    CHECK_FALSE(sampled_within(sampler).empty());
}
