// The probe of real ranks: every rank gets the same times, of every pair.
#include <mutex>

#include "bench/hunt/ranks_probe.hpp"
#include "bench/hunt/search/search.hpp"
#include "collectives/threads/threads.hpp"
#include "simulator/models/model.hpp"
#include "simulator/topologies/fabric.hpp"
#include "simulator/topologies/faults.hpp"
#include "tests/support/catch.hpp"
#include "training/emulation/emulated_ranks.hpp"

using namespace arlab;
using namespace arlab::bench;

TEST_CASE("hunt: all ranks of a probe get the same positive times") {
  for (const Rank ranks : {2, 3, 4}) {
    std::mutex mutex;
    std::vector<std::vector<double>> seen;
    collectives::on_threads(ranks, [&](collectives::Communicator& communicator) {
      const hunt::Probe probe = ranks_probe(communicator, 1 << 16);
      CHECK(probe.group_of.empty());
      std::vector<hunt::Pair> pairs{{1, 0}};
      if (ranks > 3) pairs.push_back({2, 3});
      std::vector<double> times = probe.round_trips(pairs, 8);
      for (const double t : probe.round_trips(pairs, 1 << 16)) times.push_back(t);
      for (const double t : probe.copy()) times.push_back(t);
      for (const double t : probe.add()) times.push_back(t);
      const std::lock_guard lock(mutex);
      seen.push_back(times);
    });
    REQUIRE(static_cast<Rank>(seen.size()) == ranks);
    const std::size_t pairs = ranks > 3 ? 2 : 1;
    CHECK(seen[0].size() == 2 * pairs + 2 * static_cast<std::size_t>(ranks));
    for (const auto& times : seen) CHECK(times == seen[0]);
    for (const double t : seen[0]) CHECK(t > 0);
  }
}

TEST_CASE("hunt: ranks whose messages take simulated time find a slow port of their network") {
  constexpr Rank kRanks = 5;
  const auto fabric = simulator::build_fabric({.topology = "crossbar"}, kRanks);
  auto slow = std::make_shared<simulator::Fabric>(*fabric);
  const simulator::LinkFault faults[] = {{"h2--s0", 4}};
  slow->topology = simulator::with_faults(fabric->topology, faults);
  const auto network =
      simulator::make_network(simulator::find_model("fluid"), {}, kRanks,
                              std::shared_ptr<const simulator::Fabric>(std::move(slow)));
  hunt::Search found;
  training::on_emulated_ranks(*network, kRanks, [&](collectives::Communicator& communicator) {
    hunt::Probe probe = ranks_probe(communicator, 1 << 20);
    probe.copy = probe.add = {};  // which take no simulated time
    hunt::Search mine = hunt::search(probe, {.bytes = 1 << 20});
    if (communicator.rank() == 0) found = std::move(mine);
  });
  REQUIRE(found.findings.size() == 1);
  CHECK(found.findings[0].place == hunt::Place::port);
  CHECK(found.findings[0].ranks == std::vector<Rank>{2});
}
