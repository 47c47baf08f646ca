#include "simulator/topologies/build/dragonfly.hpp"

#include <set>
#include <tuple>

#include "tests/support/catch.hpp"

using namespace arlab;
using namespace arlab::simulator;

namespace {

// Two groups of two routers with two cables each: hosts 0 to 3, routers 4 and 5, 6 and 7.
const DragonflyShape kPair({.groups = 2, .routers = 2, .hosts = 1, .globals = 2});

using Ends = std::tuple<NodeId, NodeId, Count>;
std::set<Ends> all_best(NodeId here, NodeId goal) {
  std::set<Ends> found;
  for (std::uint64_t key = 0; key < 12; ++key) {
    const auto best = kPair.best_cable(here, 1, goal, key);
    found.emplace(best.out, best.in, best.which);
  }
  return found;
}

}  // namespace

TEST_CASE("routers and groups of a dragonfly are numbered after the hosts") {
  CHECK(kPair.hosts() == 4);
  CHECK(kPair.router(1, 0) == 6);
  CHECK(kPair.router_of(3) == 7);
  CHECK(kPair.group_of(5) == 0);
  CHECK(kPair.group_of(6) == 1);
  CHECK(kPair.cables() == 4);
  CHECK(DragonflyShape({.groups = 1, .routers = 2, .hosts = 1, .globals = 2}).cables() == 0);
}

TEST_CASE("the best cables need the fewest local links, and each of them is used") {
  CHECK(all_best(4, 6) == std::set<Ends>{{4, 6, 0}, {4, 6, 1}});
  CHECK(all_best(5, 7) == std::set<Ends>{{5, 7, 0}, {5, 7, 1}});
  // One local link, in the first group or in the second.
  CHECK(all_best(4, 7) == std::set<Ends>{{4, 6, 0}, {4, 6, 1}, {5, 7, 0}, {5, 7, 1}});
}
