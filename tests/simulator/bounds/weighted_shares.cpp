#include "simulator/bounds/weighted_shares.hpp"

#include <numeric>

#include "simulator/bounds/linear_program.hpp"
#include "simulator/bounds/network_bounds.hpp"
#include "simulator/topologies/build/kind.hpp"
#include "tests/simulator/bounds/machines.hpp"
#include "tests/support/catch.hpp"

using namespace arlab;
using namespace arlab::simulator;

TEST_CASE("a linear program of the textbook") {
  // Dantzig: maximize 3x + 5y with x <= 4, 2y <= 12, 3x + 2y <= 18: 36 at (2, 6).
  const LinearProgram program{.objective = {3, 5},
                              .rows = {{{1, 0}, 4}, {{0, 2}, 12}, {{3, 2}, 18}}};
  const std::vector<double> x = solve(program, 1e3)->x;
  CHECK(x[0] == Approx(2));
  CHECK(x[1] == Approx(6));
  CHECK(!solve(program, 0));  // too little work
}

TEST_CASE("a linear program does not cycle") {
  // Beale, 1955: the largest gain first cycles here without precautions. The maximum is 1/20.
  const LinearProgram program{
      .objective = {0.75, -150, 0.02, -6},
      .rows = {{{0.25, -60, -0.04, 9}, 0}, {{0.5, -90, -0.02, 3}, 0}, {{0, 0, 1, 0}, 1}}};
  const std::vector<double> x = solve(program, 1e3)->x;
  CHECK(0.75 * x[0] - 150 * x[1] + 0.02 * x[2] - 6 * x[3] == Approx(0.05).epsilon(1e-6));
}

TEST_CASE("hosts behind slow links own no share") {
  TopologyBuilder builder("slow hosts", 6, 1, 12);
  for (int h = 0; h < 6; ++h) builder.add_host("h" + std::to_string(h));
  builder.add_switch("s", 1);
  for (int h = 0; h < 6; ++h) builder.add_cable(h, 6, machines::wire(h < 3 ? 1 : 10));
  const Topology topology = std::move(builder).build();
  const auto shares = weighted_shares(capacity_graph(topology));
  REQUIRE(shares);
  CHECK(shares->rate == Approx(1e9).epsilon(1e-5));
  CHECK(network_bounds(topology).allreduce_rate() == Approx(1e9));
}

TEST_CASE("weighted shares reach at least what equal shares do, and never more than the bound") {
  for (unsigned seed = 1; seed <= 25; ++seed) {
    INFO("seed " << seed);
    const NetworkBounds bounds = network_bounds(machines::random_network(seed, int(2 + seed % 7)));
    const auto shares = weighted_shares(bounds.graph);
    REQUIRE(shares);
    CHECK(std::accumulate(shares->share.begin(), shares->share.end(), 0.) == Approx(1));
    CHECK(shares->rate >= bounds.equal_shares_rate() * (1 - 1e-5));
    CHECK(shares->rate <= bounds.allreduce_rate() * (1 + 1e-5));
  }
}

TEST_CASE("shares of unequal size reach the bound of hosts that are alike") {
  for (const char* spec :
       {"ring:hosts=6", "crossbar:hosts=6", "full_mesh:hosts=5", "mesh:dims=3x3"}) {
    INFO(spec);
    const NetworkBounds bounds = network_bounds(make_topology(spec));
    const auto shares = weighted_shares(bounds.graph);
    REQUIRE(shares);
    CHECK(shares->rate == Approx(bounds.allreduce_rate()).epsilon(1e-5));
  }
}
