#include "simulator/topologies/analysis/metrics.hpp"

#include "tests/support/catch.hpp"

using namespace arlab;
using namespace arlab::simulator;

TEST_CASE("a tier has the extremes of its own links") {
  TopologyBuilder builder("by hand", 4, 1, 8);
  for (const char* name : {"h0", "h1", "h2", "h3"}) builder.add_host(name);
  const NodeId middle = builder.add_switch("s0", 1);
  builder.add_cable(0, middle, {3e9, Time{70}, "near"});
  builder.add_cable(1, middle, {2e9, Time{50}, "near"});
  builder.add_cable(2, middle, {4e9, Time{60}, "near"});
  builder.add_cable(3, middle, {1e9, Time{90}, "far"});
  const Metrics found = metrics(std::move(builder).build());
  REQUIRE(found.tiers.size() == 2);
  const TierMetrics &near = found.tiers[0], &far = found.tiers[1];
  CHECK(near.name == "near");
  CHECK(near.links == 6);
  CHECK(near.slowest == 2e9);
  CHECK(near.fastest == 4e9);
  CHECK(near.shortest == Time{50});
  CHECK(near.longest == Time{70});
  CHECK(far.name == "far");
  CHECK(far.links == 2);
  CHECK(far.slowest == 1e9);
  CHECK(far.fastest == 1e9);
  CHECK(far.shortest == Time{90});
  CHECK(far.longest == Time{90});
  CHECK(found.longest_latency == Time{70 + 90});
}
