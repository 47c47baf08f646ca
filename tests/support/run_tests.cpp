// Catch2's implementation: a single unit, because it takes long to compile.
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_session.hpp>
#else
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
#endif
#include "tests/support/run_tests.hpp"

int run_tests(int argc, char** argv) { return Catch::Session().run(argc, argv); }
