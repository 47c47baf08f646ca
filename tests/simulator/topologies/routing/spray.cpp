// Messages over all shortest routes at once: the links of parts by hand.
#include "simulator/topologies/routing/spray.hpp"

#include <map>
#include <numeric>

#include "simulator/topologies/build/kind.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/contains.hpp"
#include "tests/support/schedules.hpp"

using namespace arlab;
using namespace arlab::simulator;
using collectives::contains;

namespace {

std::vector<Rank> every_host(const Topology& t) {
  std::vector<Rank> hosts(index(t.hosts()));
  std::iota(hosts.begin(), hosts.end(), 0);
  return hosts;
}

// How many parts of a message cross each of its links, by name.
std::map<std::string, int> parts_on_links(const Topology& t, Rank source, Rank target) {
  Router router(t, Routing::spray);
  std::map<std::string, int> parts;
  for (const LinkId link :
       sprayed(t, router, source, target, parts_to_spray(t, router, every_host(t))))
    ++parts[t.link(link).name];
  return parts;
}

}  // namespace

TEST_CASE("a message takes all spines alike") {
  const Topology t = make_topology("leaf_spine:leaves=2,hosts=2,spines=3");
  using Parts = std::map<std::string, int>;
  CHECK(parts_on_links(t, 0, 2) == Parts{{"h0-leaf0", 3},
                                         {"leaf0-spine0", 1},
                                         {"leaf0-spine1", 1},
                                         {"leaf0-spine2", 1},
                                         {"spine0-leaf1", 1},
                                         {"spine1-leaf1", 1},
                                         {"spine2-leaf1", 1},
                                         {"leaf1-h2", 3}});
  CHECK(parts_on_links(t, 0, 1) == Parts{{"h0-leaf0", 3}, {"leaf0-h1", 3}});
  CHECK(parts_on_links(t, 1, 1).empty());
}

TEST_CASE("in three levels a message splits twice, and its parts meet again") {
  const Topology t = make_topology("fat_tree:k=4");
  const auto parts = parts_on_links(t, 0, 15);
  CHECK(parts.at("h0-edge0") == 4);
  for (const char* link : {"edge0-aggr0", "edge0-aggr1", "aggr6-edge7", "aggr7-edge7"})
    CHECK(parts.at(link) == 2);
  for (const char* link : {"aggr0-core0", "aggr1-core1", "core3-aggr7"}) CHECK(parts.at(link) == 1);
  CHECK(parts.at("edge7-h15") == 4);
}

TEST_CASE("GPUs that relay do not spray, the switches above them do") {
  const Topology t = make_topology("rail_pod:nodes=4,gpus=2,nodes_per_switch=2,spines=2,relay=yes");
  using Parts = std::map<std::string, int>;
  CHECK(parts_on_links(t, 0, 3) == Parts{{"n0g0-nvswitch0", 2},
                                         {"nvswitch0-n0g1", 2},
                                         {"n0g1-rail1.0", 2},
                                         {"rail1.0-n1g1", 2}});
  CHECK(parts_on_links(t, 1, 7).at("rail1.0-spine1") == 1);
}

TEST_CASE("too many parts are refused") {
  const Topology t = make_topology("torus:dims=12x12x12");
  Router router(t, Routing::spray);
  CHECK_THAT(error_text(Blame::usage,
                        [&] {
                          parts_to_spray(t, router, std::vector<Rank>{0, 942});
                        }),
             contains("routing 'spray' would cut a message into"));
}
