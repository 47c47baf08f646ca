// The order of links, and its virtual channels: ascending and few.
#include "simulator/contention/link_order.hpp"

#include <algorithm>
#include <set>

#include "simulator/topologies/build/kind.hpp"
#include "simulator/topologies/routing/routing.hpp"
#include "tests/support/catch.hpp"

using namespace arlab;
using namespace arlab::simulator;

namespace {

// Returns the number of channels of the routes between all hosts; checks that each ascends.
std::size_t channels(const Topology& topology, Routing routing = Routing::automatic) {
  const LinkOrder order(topology);
  Router router(topology, routing, 3);
  std::size_t max = 0;
  for (Rank a = 0; a < topology.hosts(); ++a)
    for (Rank b = 0; b < topology.hosts(); ++b) {
      if (a == b) continue;
      const auto route = router.route(a, b);
      std::size_t channel = 0;
      for (std::size_t i = 1; i < route.size(); ++i) {
        const std::size_t next = order.channel_after(route[i - 1], channel, route[i]);
        REQUIRE((next > channel ||
                 (next == channel && order.place(route[i]) > order.place(route[i - 1]))));
        channel = next;
      }
      max = std::max(max, channel + 1);
    }
  return max;
}

}  // namespace

TEST_CASE("every link has a distinct place") {
  const Topology topology = make_topology("torus:dims=4x3");
  const LinkOrder order(topology);
  std::set<Count> places;
  for (LinkId l = 0; l < static_cast<LinkId>(topology.links().size()); ++l)
    places.insert(order.place(l));
  CHECK(places.size() == topology.links().size());
}

TEST_CASE("trees need one channel, rings two: a dateline") {
  CHECK(channels(make_topology("crossbar:hosts=8")) == 1);
  CHECK(channels(make_topology("fat_tree:k=4")) == 1);
  CHECK(channels(make_topology("leaf_spine")) == 1);
  CHECK(channels(make_topology("ring:hosts=9")) == 2);
}

TEST_CASE("any network with any routing needs few channels") {
  CHECK(channels(make_topology("torus:dims=4x4x4")) <= 6);
  CHECK(channels(make_topology("mesh:dims=4x4")) <= 2);
  CHECK(channels(make_topology("hypercube"), Routing::ecmp) <= 4);
  CHECK(channels(make_topology("dragonfly"), Routing::minimal) <= 3);
  CHECK(channels(make_topology("dragonfly"), Routing::valiant) <= 6);
  CHECK(channels(make_topology("rail_pod"), Routing::ecmp) <= 3);
}
