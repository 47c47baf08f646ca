// One slow cable, by any factor: the bound of an allreduce remains the optimum, is exact, and takes
// few maximum flows.
#include <random>

#include "simulator/bounds/network_bounds.hpp"
#include "simulator/bounds/weighted_shares.hpp"
#include "simulator/topologies/build/kind.hpp"
#include "simulator/topologies/faults.hpp"
#include "tests/simulator/bounds/by_force.hpp"
#include "tests/simulator/bounds/machines.hpp"
#include "tests/support/catch.hpp"

using namespace arlab;
using namespace arlab::simulator;

namespace {

Topology slowed(const Topology& topology, const std::string& link, double factor) {
  return with_faults(topology, std::vector{LinkFault{link, factor}});
}

// Whole numbers, decimals, ratios of two numbers, and any others.
double factor(std::mt19937& random) {
  const auto below = [&](unsigned n) { return double(random() % n); };
  switch (random() % 4) {
    case 0:
      return 2 + below(1000);
    case 1:
      return 1 + (1 + below(9999)) / 100;
    case 2:
      return 1 + (1 + below(20)) / (1 + below(20));
    default:
      return 1 + below(1u << 31) / 1e8;
  }
}

std::string any_cable(const Topology& topology, std::mt19937& random) {
  const Link& link = topology.links()[random() % topology.links().size()];
  return topology.node(link.from).name + "--" + topology.node(link.to).name;
}

}  // namespace

TEST_CASE("one slow cable: the bound of an allreduce is the optimum for every factor") {
  std::mt19937 random(20261);
  for (const char* spec :
       {"leaf_spine:leaves=4,hosts=4", "torus:dims=4x4", "fat_tree:k=4", "rail_pod:nodes=2",
        "dragonfly:a=2,p=2,h=1,groups=3", "full_mesh:hosts=8", "ring:hosts=8", "crossbar:hosts=8"})
    for (int i = 0; i < 25; ++i) {
      const Topology whole = make_topology(spec);
      const std::string cable = any_cable(whole, random);
      const Topology topology = slowed(whole, cable, factor(random));
      INFO("arlab bound " << spec << ",slow=" << cable << ": " << topology.spec());
      const NetworkBounds bounds = network_bounds(topology);
      CHECK(bounds.graph.raised == 0);
      CHECK(bounds.optimal);
      CHECK(bounds.tightest);
      CHECK(bounds.allreduce.flows <= 6 * bounds.hosts());
    }
}

TEST_CASE("one slow host of a leaf or a crossbar: the rate is that of a formula") {
  std::mt19937 random(20262);
  for (const char* spec : {"leaf_spine:leaves=4,hosts=4", "crossbar:hosts=8", "leaf_spine"})
    for (int i = 0; i < 40; ++i) {
      const Topology whole = make_topology(spec);
      const Link& link = whole.links()[0];
      const double f = factor(random), rate = link.bandwidth / f, n = whole.hosts();
      INFO(spec << " with h0 slower by " << f);
      const NetworkBounds bounds =
          network_bounds(slowed(whole, "h0--" + whole.node(link.to).name, f));
      // The whole vector into h0, or 2(n-1) vectors into the n hosts.
      const double all = ((n - 1) * link.bandwidth + rate) / (2 * (n - 1));
      CHECK(bounds.allreduce_rate() == Approx(std::min(rate, all)).epsilon(1e-11));
      CHECK(bounds.optimal);
    }
}

// The theorem of allreduce.hpp, beside trees that a linear program finds.
TEST_CASE("links of the same speed both ways: the best shares reach the tightest partition") {
  std::mt19937 random(20263);
  int exact = 0;
  for (unsigned seed = 100; seed < 140; ++seed) {
    const Topology whole = machines::random_network(seed, int(2 + seed % 5));
    const double f = double(2 + random() % 99) / double(1 + random() % 2);
    const Topology topology = slowed(whole, any_cable(whole, random), f);
    INFO("seed " << seed << ", slower by " << f);
    const NetworkBounds bounds = network_bounds(topology);
    CHECK(bounds.optimal);
    CHECK(bounds.allreduce.time == by_force::allreduce_time(bounds.graph));
    CHECK(bounds.all_gather.ratio == by_force::all_gather_ratio(bounds.graph));
    const auto shares = weighted_shares(bounds.graph);
    REQUIRE(shares);
    CHECK(shares->rate == Approx(bounds.allreduce_rate()).epsilon(1e-6));
    if (!shares->exact_time) continue;
    CHECK(*shares->exact_time == bounds.allreduce.time);
    ++exact;
  }
  CHECK(exact >= 30);
}

TEST_CASE("one slow direction: shares are below the bound or exactly on it, in little work") {
  std::mt19937 random(20264);
  for (const char* spec :
       {"ring:hosts=8", "torus:dims=3x3", "torus:dims=4x4", "full_mesh:hosts=6", "hypercube:d=4"}) {
    double most = 0;
    for (int i = 0; i < 6; ++i) {
      const Topology whole = make_topology(spec);
      const double f = factor(random);
      INFO(spec << " with h1-h0 slower by " << f);
      const NetworkBounds bounds = network_bounds(slowed(whole, "h1-h0", f));
      const auto shares = weighted_shares(bounds.graph);
      REQUIRE(shares);
      most = std::max(most, shares->work);
      CHECK(shares->rate <= bounds.allreduce_rate() * (1 + 1e-9));
      CHECK(shares->rate >= bounds.equal_shares_rate() * (1 - 1e-6));
      if (shares->exact_time) {
        CHECK(!(*shares->exact_time < bounds.allreduce.time));
        CHECK(bounds.graph.unit / shares->exact_time->value() ==
              Approx(shares->rate).epsilon(1e-6));
      }
    }
    CHECK(most < 1e8);
    CHECK(!weighted_shares(network_bounds(slowed(make_topology(spec), "h1-h0", 3)).graph, 1e3));
  }
}

TEST_CASE("equal shares take the sum of both times, also where 64 bits are too few") {
  for (const double f : {4., 3.7, 3.14159265, 2.718281828459045}) {
    const NetworkBounds b = network_bounds(slowed(make_topology("ring:hosts=4"), "h1-h0", f));
    CHECK(1 / b.equal_shares_rate() ==
          Approx(1 / b.all_gather_rate() + 1 / b.reduce_scatter_rate()).epsilon(1e-12));
  }
  // Speeds without a common unit.
  TopologyBuilder builder("odd speeds", 4, 0, 8);
  for (int h = 0; h < 4; ++h) builder.add_host("h" + std::to_string(h));
  for (int h = 0; h < 4; ++h)
    for (const int to : {(h + 1) % 4, (h + 3) % 4})
      builder.add_link(h, to, machines::wire(10 + std::sqrt(h + 2.) / (to + 3)));
  builder.hosts_forward();
  const NetworkBounds b = network_bounds(std::move(builder).build());
  CHECK(b.graph.raised < 1e-9);
  CHECK(1 / b.equal_shares_rate() ==
        Approx(1 / b.all_gather_rate() + 1 / b.reduce_scatter_rate()).epsilon(1e-6));
}
