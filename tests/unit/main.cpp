#include <exportd/access/jwt.hpp>
#include <exportd/curl/library.hpp>

#if __has_include(<catch2/catch_session.hpp>)
#include <catch2/catch_session.hpp>
#else
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
#endif

int main(int argc, char** argv) {
    const exportd::curl::library transfers;
    const exportd::access::jose_library signatures;
    return Catch::Session().run(argc, argv);
}
