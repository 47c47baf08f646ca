// GPU pods: nodes on NVLink over any fabric.
#include "algorithms/base/text.hpp"
#include "simulator/engine/simulate.hpp"
#include "simulator/models/model.hpp"
#include "simulator/topologies/analysis/connectivity.hpp"
#include "simulator/topologies/analysis/nics.hpp"
#include "simulator/topologies/fabric.hpp"
#include "tests/simulator/topologies/check.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/contains.hpp"

using namespace arlab;
using namespace arlab::simulator;
using collectives::contains;

namespace {

// Of 8 GiB with a ring per NIC, in GB/s.
double algbw_of_rings(const std::string& topology, Rank ranks, const char* routing = "automatic") {
  const auto fabric = build_fabric({.topology = topology, .routing = routing}, ranks);
  const auto groups = groups_of(*fabric);
  const Bytes bytes = Bytes{8} << 30;
  const auto network = make_network(find_model("fluid"), {}, ranks, fabric);
  const SimulationResult result =
      simulate(find_algorithm(concat("ring:channels=", nics_of_group(fabric->topology))),
               {.ranks = ranks, .elements = bytes / 4, .groups = groups.get()}, 4, *network, {});
  return static_cast<double>(bytes) / picoseconds(result.finish) * 1e3;
}

}  // namespace

TEST_CASE("a GPU pod on rails is a rail pod whose GPUs relay") {
  for (const char* sizes : {"nodes=2,gpus=4", "nodes=40,gpus=2", "nodes=4,oversubscription=2"}) {
    const Topology ours = make_topology(concat("gpu_pod:", sizes));
    const Topology rails = make_topology(concat("rail_pod:relay=yes,", sizes));
    REQUIRE(ours.links().size() == rails.links().size());
    for (std::size_t l = 0; l < rails.links().size(); ++l) {
      CHECK(ours.links()[l].name == rails.links()[l].name);
      CHECK(ours.links()[l].bandwidth == rails.links()[l].bandwidth);
      CHECK(ours.links()[l].latency == rails.links()[l].latency);
    }
    CHECK(ours.hosts_forward());
  }
}

TEST_CASE("the NICs of a node are on neighboring hosts of the fabric") {
  const Topology t = make_topology("gpu_pod:fabric=leaf_spine,nodes=4");
  Router router(t);
  CHECK(names(t, router.route(0, 7)) == "n0g0-nvswitch0 nvswitch0-n0g7");
  CHECK(names(t, router.route(1, 8)) == "n0g1-leaf0 leaf0-n1g0");  // 16 hosts on a leaf
  CHECK(router.route(1, 16).size() == 4);
  CHECK(t.groups() == 4);
  CHECK(nics_of_group(t) == 8);
}

TEST_CASE("hosts of the fabric beyond the GPUs are left out") {
  for (const char* fabric : {"crossbar", "dragonfly", "fat_tree", "leaf_spine"}) {
    const Topology t = make_topology(concat("gpu_pod:fabric=", fabric, ",nodes=3,gpus=3"));
    INFO(fabric);
    CHECK(t.hosts() == 9);
    CHECK_FALSE(find_disconnection(t).has_value());
    for (Rank h = 0; h < t.hosts(); ++h) CHECK(t.group_of(h) == h / 3);
  }
}

TEST_CASE("rings are as fast as the NICs, or as the links between leaves") {
  const double nics = 8 * 50.;
  CHECK(algbw_of_rings("gpu_pod:fabric=leaf_spine,nodes=2", 16) ==
        Approx(nics * 16 / 30).epsilon(0.001));
  // 16 NICs of a leaf have a quarter of their bandwidth upward, and the 8 of every second node use
  // it.
  CHECK(algbw_of_rings("gpu_pod:fabric=leaf_spine,nodes=4,oversubscription=4", 32, "spray") ==
        Approx(nics / 2 * 32 / 62).epsilon(0.002));
}

TEST_CASE("a GPU pod refuses what is no fabric, and what its fabric has not") {
  const auto error = [](const char* spec) {
    return error_text(Blame::usage, [&] { make_topology(spec); });
  };
  CHECK(error("gpu_pod:fabric=leafspine") ==
        "unknown fabric of gpu_pod 'leafspine', did you mean 'leaf_spine'? (one of rail, crossbar, "
        "dragonfly, fat_tree, leaf_spine)");
  CHECK_THAT(error("gpu_pod:fabric=crossbar,oversubscription=2"),
             contains("crossbar has no parameter 'oversubscription'"));
}

TEST_CASE("all links between the NICs of a GPU pod have its rate and latency") {
  const Topology t = make_topology("gpu_pod:fabric=dragonfly,nodes=4,nic=10GB/s,latency=3us");
  std::set<std::string> tiers;
  for (const Link& link : t.links()) {
    const std::string& tier = t.tiers()[static_cast<std::size_t>(link.tier)];
    tiers.insert(tier);
    if (tier == "nvlink") continue;
    INFO(link.name);
    CHECK(link.bandwidth == 10e9);
    CHECK(link.latency == 3 * kMicrosecond);
  }
  CHECK(tiers == std::set<std::string>{"global", "local", "nic", "nvlink"});
}
