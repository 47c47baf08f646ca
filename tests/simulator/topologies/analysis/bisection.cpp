// The bisection against all halves of small random networks, and closed forms of large ones.
#include "simulator/topologies/analysis/bisection.hpp"

#include <bit>
#include <numeric>

#include "algorithms/base/random.hpp"
#include "simulator/topologies/build/kind.hpp"
#include "tests/support/catch.hpp"

using namespace arlab;
using namespace arlab::simulator;

namespace {

std::vector<Rank> all_hosts(const Topology& t) {
  std::vector<Rank> hosts(static_cast<std::size_t>(t.hosts()));
  std::iota(hosts.begin(), hosts.end(), 0);
  return hosts;
}

// A tree of switches with hosts at random places, and a few more cables.
Topology random_network(std::uint64_t seed) {
  std::uint64_t state = mixed(seed);
  const auto draw = [&](int below) {
    state = mixed(state);
    return static_cast<int>(state % static_cast<std::uint64_t>(below));
  };
  const int hosts = 3 + draw(5), switches = 1 + draw(4);
  TopologyBuilder builder("random", hosts, switches, 100);
  for (int h = 0; h < hosts; ++h) builder.add_host("h" + std::to_string(h));
  for (int s = 0; s < switches; ++s) builder.add_switch("s" + std::to_string(s), 1);
  const auto cable = [&](int a, int b) {
    if (a != b) builder.add_cable(a, b, {1e9 * (1 + draw(9)), Time{}, "link"});
  };
  for (int h = 0; h < hosts; ++h) cable(h, hosts + draw(switches));
  for (int s = 1; s < switches; ++s) cable(hosts + s, hosts + draw(s));
  for (int more = draw(4); more > 0; --more) cable(draw(hosts), hosts + draw(switches));
  return std::move(builder).build();
}

// The least cut over all equal halves of hosts and all sides of switches: no flow is computed.
double brute_force(const Topology& t) {
  const auto nodes = static_cast<unsigned>(t.nodes()), hosts = static_cast<unsigned>(t.hosts());
  double least = 1e300;
  for (unsigned side = 0; side < 1u << nodes; ++side) {
    const int near = std::popcount(side & ((1u << hosts) - 1));
    if (near != static_cast<int>(hosts / 2) && near != static_cast<int>((hosts + 1) / 2)) continue;
    double cut = 0;
    for (const Link& link : t.links())
      if ((side >> link.from & 1) && !(side >> link.to & 1)) cut += link.bandwidth;
    least = std::min(least, cut);
  }
  return least;
}

}  // namespace

TEST_CASE("bisection: the least cut over equal halves of random networks, by brute force") {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const Topology t = random_network(seed);
    INFO("seed " << seed);
    const Bisection found = bisection(t, all_hosts(t));
    CHECK(found.exact());
    CHECK(found.most == Approx(brute_force(t)));
    CHECK(found.in_order >= found.most * (1 - 1e-9));
  }
}

TEST_CASE("bisection: bounds meet on trees and tori, whatever the order of ranks") {
  for (const auto& [spec, links] : {std::pair("torus:dims=8x8", 16.),
                                    {"torus:dims=8x4", 8.},
                                    {"torus:dims=4x8", 8.},
                                    {"fat_tree:k=4", 8.},
                                    {"leaf_spine:leaves=4,hosts=4,spines=4", 8.},
                                    {"hypercube:d=4", 8.}}) {
    const Topology t = make_topology(spec);
    INFO(spec);
    const Bisection found = bisection(t, all_hosts(t));
    CHECK(found.exact());
    CHECK(found.most == Approx(links * t.link(0).bandwidth));
  }
}

TEST_CASE("bisection: other hosts carry nothing unless they forward") {
  // Four of eight GPUs of each node: those of the other four could pass messages on.
  const std::vector<Rank> half{0, 1, 2, 3, 8, 9, 10, 11};
  const Bisection found = bisection(make_topology("rail_pod:nodes=2,gpus=8"), half);
  CHECK(found.exact());
  CHECK(found.most == Approx(4 * 50e9));
  CHECK(found.in_order == Approx(4 * 50e9));
  CHECK(bisection(make_topology("rail_pod:nodes=2,gpus=8,relay=yes"), half).in_order ==
        Approx(8 * 50e9));
}
