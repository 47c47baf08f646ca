// Where variables are placed on servers, and what parameter servers send, counted by hand.
#include "training/strategies/placement.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/toy_training.hpp"

using namespace arlab;
using namespace arlab::training;

namespace {

std::vector<Rank> placed(const std::vector<Count>& elements, Rank servers) {
  std::vector<Variable> variables;
  for (const Count n : elements) variables.push_back({.name = "v", .shape = {n}, .elements = n});
  return place(variables, servers);
}

}  // namespace

TEST_CASE("the largest variables are placed first, each on the server with the fewest elements") {
  using Servers = std::vector<Rank>;
  CHECK(placed({5, 9, 2, 9, 1}, 2) == Servers{0, 0, 1, 1, 1});  // 14 and 12 elements
  CHECK(placed({1, 2, 3, 4, 5, 6}, 3) == Servers{0, 1, 2, 2, 1, 0});
  CHECK(placed({4, 4, 4}, 3) == Servers{0, 1, 2});
  CHECK(placed({100, 1, 1, 1}, 2) == Servers{0, 1, 1, 1});
  CHECK(placed({7, 3}, 1) == Servers{0, 0});
  CHECK(placed({7, 3}, 4) == Servers{0, 1});
}
