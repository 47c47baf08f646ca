#include "simulator/topologies/analysis/flow.hpp"

#include "tests/support/catch.hpp"

using namespace arlab;
using namespace arlab::simulator;

TEST_CASE("maximum flow and minimum cut of the textbook network") {
  // Cormen, Leiserson, Rivest, Stein, Introduction to algorithms, figure 26.6: 23.
  FlowNetwork network(6);
  const int s = 0, v1 = 1, v2 = 2, v3 = 3, v4 = 4, t = 5;
  for (const auto& [from, to, capacity] : std::vector<std::tuple<int, int, int>>{{s, v1, 16},
                                                                                 {s, v2, 13},
                                                                                 {v2, v1, 4},
                                                                                 {v1, v3, 12},
                                                                                 {v3, v2, 9},
                                                                                 {v2, v4, 14},
                                                                                 {v4, v3, 7},
                                                                                 {v3, t, 20},
                                                                                 {v4, t, 4}})
    network.add(static_cast<std::size_t>(from), static_cast<std::size_t>(to), capacity);
  CHECK(network.max_flow(0, 5) == 23);
  CHECK(network.source_side(0) == std::vector<bool>{true, true, true, false, true, false});
}

TEST_CASE("the maximum flow without a path is zero") {
  FlowNetwork network(3);
  network.add(0, 1, 7);
  network.add(2, 1, 7);
  CHECK(network.max_flow(0, 2) == 0);
  CHECK(network.source_side(0) == std::vector<bool>{true, true, false});
}
