// LinkIndex: the links between two nodes are those out of the first that lead to the second.
#include "simulator/topologies/routing/link_index.hpp"

#include <algorithm>
#include <vector>

#include "tests/simulator/contention/brute_force.hpp"
#include "tests/support/catch.hpp"

using namespace arlab;
using namespace arlab::simulator;

TEST_CASE("the links between two nodes are found, also of many cables and with gaps in numbers") {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    Draw draw(seed);
    constexpr NodeId kHosts = 4, kNodes = 14;
    TopologyBuilder builder("random", kHosts, kNodes - kHosts, 400);
    for (NodeId n = 0; n < kHosts; ++n) builder.add_host("h" + std::to_string(n));
    for (NodeId n = kHosts; n < kNodes; ++n) builder.add_switch("s" + std::to_string(n), 1);
    for (std::uint32_t cables = 15 + draw(60); cables > 0; --cables) {
      const auto a = static_cast<NodeId>(draw(kNodes)), b = static_cast<NodeId>(draw(kNodes));
      if (a != b) builder.add_cable(a, b, {.bandwidth = 1e9});
    }
    const Topology topology = std::move(builder).build();
    const LinkIndex links(topology);
    for (NodeId from = 0; from < kNodes; ++from)
      for (NodeId to = 0; to < kNodes; ++to) {
        std::vector<LinkId> wanted;
        for (LinkId id = 0; id < static_cast<LinkId>(topology.links().size()); ++id)
          if (topology.link(id).from == from && topology.link(id).to == to) wanted.push_back(id);
        const auto found = links.between(from, to);
        INFO("seed " << seed << ", from " << from << " to " << to);
        REQUIRE(std::vector<LinkId>(found.begin(), found.end()) == wanted);
      }
  }
}
