#include "bench/results/context.hpp"

#include "tests/support/catch.hpp"

using namespace arlab::bench;

TEST_CASE("a command line is quoted for a shell where it must be") {
  CHECK(shell_quoted({}).empty());
  CHECK(shell_quoted({"arlab", "run", "ring", "-p", "4"}) == "arlab run ring -p 4");
  CHECK(shell_quoted({"a b", "", "it's", "c*", "x=1,2"}) == "'a b' '' 'it'\\''s' 'c*' x=1,2");
}
