#include "simulator/topologies/analysis/flow.hpp"

#include <random>

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

TEST_CASE("the maximum flow of random networks is the least of all cuts, also after changes") {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    INFO("seed " << seed);
    std::mt19937 random(seed);
    const auto below = [&](std::size_t n) { return std::size_t(random() % n); };
    const std::size_t nodes = 2 + below(6), arcs = below(20);
    FlowNetwork network(nodes);
    struct Arc {
      std::size_t from, to;
      std::int64_t capacity;
    };
    std::vector<Arc> all;
    const auto capacity = [&] { return std::int64_t(below(3) == 0 ? below(1u << 30) : below(7)); };
    for (std::size_t a = 0; a < arcs; ++a) {
      const std::size_t from = below(nodes);
      all.push_back({from, (from + 1 + below(nodes - 1)) % nodes, capacity()});
      network.add(all[a].from, all[a].to, all[a].capacity);
    }
    for (int change = 0; change < 3; ++change) {
      const auto out_of = [&](const auto& inside) {
        std::int64_t sum = 0;
        for (const Arc& arc : all)
          if (inside(arc.from) && !inside(arc.to)) sum += arc.capacity;
        return sum;
      };
      std::int64_t least = INT64_MAX;
      for (unsigned mask = 0; mask < 1u << nodes; ++mask)
        if ((mask & 1) && !(mask & 2))  // from node 0 to node 1
          least = std::min(least, out_of([&](std::size_t n) { return (mask >> n & 1) != 0; }));
      CHECK(network.max_flow(0, 1) == least);
      const std::vector<bool> side = network.source_side(0);
      CHECK(side[0]);
      CHECK(!side[1]);
      CHECK(out_of([&](std::size_t n) { return bool(side[n]); }) == least);
      if (arcs == 0) break;
      const std::size_t changed = below(arcs);
      network.set_capacity(changed, all[changed].capacity = capacity());
    }
  }
}
