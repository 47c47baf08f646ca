#include "simulator/topologies/analysis/nics.hpp"

#include "simulator/topologies/build/kind.hpp"
#include "tests/support/catch.hpp"

using namespace arlab;
using namespace arlab::simulator;

namespace {

Rank nics_on(const char* spec) { return nics_of_group(make_topology(spec)); }

// Nodes of two GPUs on a switch of their own, with one NIC per GPU, but only one in the last node.
Topology nodes_with_a_dead_nic() {
  TopologyBuilder builder("nodes", 4, 3, 14);
  for (const char* name : {"a0", "a1", "b0", "b1"}) builder.add_host(name);
  const NodeId a = builder.add_switch("a", 1), b = builder.add_switch("b", 1);
  const NodeId leaf = builder.add_switch("leaf", 2);
  const Wire wire{1e9, kNanosecond};
  for (const Rank gpu : {0, 1, 2, 3}) {
    builder.add_cable(gpu, gpu < 2 ? a : b, wire);
    if (gpu < 3) builder.add_cable(gpu, leaf, wire);
  }
  builder.group_hosts("node", 2);
  return std::move(builder).build();
}

}  // namespace

TEST_CASE("nodes of a rail pod have a NIC per GPU") {
  CHECK(nics_on("rail_pod:nodes=4") == 8);
  CHECK(nics_on("rail_pod:nodes=3,gpus=4") == 4);
  CHECK(nics_on("rail_pod:nodes=4,nodes_per_switch=1,gpus=2") == 2);
  CHECK(nics_on("dgx_h100:systems=2") == 8);
}

TEST_CASE("the node with the fewest NICs counts") {
  CHECK(nics_of_group(nodes_with_a_dead_nic()) == 1);
}

TEST_CASE("one node, or groups that nothing joins within, have no NICs to share") {
  CHECK(nics_on("rail_pod:nodes=1") == 1);
  CHECK(nics_on("leaf_spine:leaves=2,hosts=4") == 1);
  CHECK(nics_on("fat_tree:k=4") == 1);
  CHECK(nics_on("torus:dims=4x4") == 1);
  CHECK(nics_on("dragonfly") == 1);
  CHECK(nics_on("crossbar:hosts=4") == 1);
}
