// No simulated run beats what is called a bound: the whole catalog on all kinds of networks.
#include <memory>
#include <optional>

#include "simulator/bounds/network_bounds.hpp"
#include "simulator/engine/simulate.hpp"
#include "simulator/forest/forest.hpp"
#include "simulator/models/model.hpp"
#include "simulator/topologies/build/kind.hpp"
#include "simulator/topologies/fabric.hpp"
#include "simulator/topologies/team_trees.hpp"
#include "tests/simulator/bounds/machines.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/grouped.hpp"
#include "tests/support/thorough.hpp"

using namespace arlab;
using namespace arlab::simulator;

namespace {

constexpr Bytes kElement = 4;

std::shared_ptr<const Fabric> fabric_of(Topology topology, Rank ranks, unsigned seed) {
  std::vector<Rank> hosts =
      place(topology, seed % 2 == 0 ? Placement::block : Placement::random, ranks, seed);
  return std::make_shared<const Fabric>(
      Fabric{std::move(topology), Routing::automatic, 0, std::move(hosts)});
}

// Simulates every algorithm and collective. Returns the largest fraction of the bound that a run
// reached. A time is rounded to whole picoseconds at every message.
double closest(const std::shared_ptr<const Fabric>& fabric, std::initializer_list<Count> lengths) {
  const NetworkBounds bounds = network_bounds(fabric->topology, fabric->host_of);
  const auto ranks = static_cast<Rank>(fabric->host_of.size());
  std::optional<Synthesis> trees;
  double most = 0;
  for (const Algorithm* const tested : tested_algorithms())
    for (const Collective collective : tested->collectives)
      for (const Count elements : lengths) {
        const Algorithm& algorithm = *tested;
        Problem p = grouped(
            algorithm,
            {.collective = collective, .ranks = ranks, .elements = elements, .root = ranks / 2});
        if (algorithm.forested) {  // the trees of this network, which come nearest to the bound
          if (!trees) trees = synthesize(fabric->topology, fabric->host_of);
          p.forest = &trees->forest;
        }
        p.switches = switch_sums(*fabric, p.groups);
        if (!unsupported(algorithm, p).empty()) continue;
        const auto network = make_network(find_model("fluid"), {}, ranks, fabric);
        const SimulationResult result = simulate(algorithm, p, kElement, *network);
        const double time = microseconds(result.finish),
                     least = least_microseconds(bounds, p, kElement);
        INFO(fabric->topology.spec()
             << ", " << ranks << " ranks: " << algorithm.name << " " << name(collective) << " of "
             << elements << " takes " << time << " us, at least " << least);
        REQUIRE(time >= least * (1 - 1e-9) - 1e-6 * static_cast<double>(result.sent.rounds));
        if (elements > 1000) most = std::max(most, least / time);
      }
  return most;
}

}  // namespace

TEST_CASE("no run beats the bound on any topology of the catalog") {
  for (const TopologyKind& kind : topologies())
    for (const Rank ranks : {2, 5, 8}) {
      Topology topology = make_topology(kind.name, ranks);
      closest(fabric_of(std::move(topology), ranks, unsigned(ranks)), {7, 100'000});
    }
}

TEST_CASE("no run beats the bound on networks with links of unequal speed") {
  for (unsigned seed = 1; seed <= (kSanitized ? 8 : 16); ++seed) {
    const auto hosts = Rank(2 + seed % 8);
    closest(fabric_of(machines::random_network(seed, hosts), hosts, seed), {10, 100'000});
  }
}

TEST_CASE("no run beats the bound where switches add") {
  for (const char* spec :
       {"crossbar:aggregate=yes", "leaf_spine:leaves=4,aggregate=yes", "fat_tree:aggregate=yes",
        "rail_pod:nodes=2,nvls=yes", "rail_pod:nodes=2,nvls=yes,sharp=yes", "dgx_h100:systems=1",
        "dgx_h100:systems=2,sharp=yes"})
    for (const Rank ranks : unless_sanitized<Rank>({4, 8}, {8}))
      closest(fabric_of(make_topology(spec, ranks), ranks, 0), {7, 100'000});
}

TEST_CASE("in the switches an allreduce reaches the bound of a vector in and out of each host") {
  CHECK(closest(fabric_of(make_topology("crossbar:hosts=8,aggregate=yes"), 8, 0), {10'000'000}) >
        0.99);
  CHECK(
      closest(fabric_of(make_topology("leaf_spine:leaves=4,hosts=2,spines=1,aggregate=yes"), 8, 0),
              {10'000'000}) > 0.99);
}

TEST_CASE("round robin and ring reach the bound of a crossbar") {
  CHECK(closest(fabric_of(make_topology("crossbar:hosts=8"), 8, 0), {10'000'000}) > 0.99);
}
