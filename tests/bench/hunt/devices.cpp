// The probe of GPUs, on stand-ins for them: times that all ranks share, and a slow port found by
// messages from device to device.
#include <mutex>

#include "algorithms/base/error.hpp"
#include "bench/hunt/device_probe.hpp"
#include "bench/hunt/search/search.hpp"
#include "collectives/host/host_executor.hpp"
#include "simulator/models/model.hpp"
#include "simulator/topologies/fabric.hpp"
#include "simulator/topologies/faults.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/contains.hpp"
#include "tests/support/on_staged_ranks.hpp"
#include "training/emulation/emulated_ranks.hpp"

using namespace arlab;
using namespace arlab::bench;

TEST_CASE("hunt on devices: all ranks of a probe get the same positive times") {
  for (const Rank ranks : {2, 3, 5}) {
    std::mutex mutex;
    std::vector<std::vector<double>> seen;
    collectives::on_staged_ranks(
        ranks, [&](collectives::Communicator&, collectives::StagedExecutor& staged) {
          const hunt::Probe probe = device_probe(staged, 1 << 16);
          CHECK(probe.ranks == ranks);
          CHECK(probe.most_bytes == 1 << 16);
          CHECK(hunt::fitting_bytes(probe) == 1 << 16);
          std::vector<hunt::Pair> pairs{{1, 0}};
          if (ranks > 3) pairs.push_back({2, 4});
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

TEST_CASE("hunt on devices: a slow port is found by messages in simulated time") {
  constexpr Rank kRanks = 5;
  const auto fabric = simulator::build_fabric({.topology = "crossbar"}, kRanks);
  auto slow = std::make_shared<simulator::Fabric>(*fabric);
  const simulator::LinkFault faults[] = {{"h3--s0", 4}};
  slow->topology = simulator::with_faults(fabric->topology, faults);
  const auto network =
      simulator::make_network(simulator::find_model("fluid"), {}, kRanks,
                              std::shared_ptr<const simulator::Fabric>(std::move(slow)));
  collectives::Devices devices =
      collectives::host_devices({.count = kRanks, .peers = false, .disorder = 7});
  hunt::Search found;
  training::on_emulated_ranks(*network, kRanks, [&](collectives::Communicator& communicator) {
    collectives::RoundTransport transport(communicator);
    collectives::StagedExecutor staged(communicator, *devices[index(communicator.rank())],
                                       transport);
    hunt::Probe probe = device_probe(staged, 1 << 20);
    probe.copy = probe.add = {};  // which take no simulated time
    hunt::Search mine = hunt::search(probe, {.bytes = 1 << 20});
    if (communicator.rank() == 0) found = std::move(mine);
  });
  REQUIRE(found.findings.size() == 1);
  CHECK(found.findings[0].place == hunt::Place::port);
  CHECK(found.findings[0].quantity == hunt::Quantity::bandwidth);
  CHECK(found.findings[0].ranks == std::vector<Rank>{3});
}

TEST_CASE("hunt on devices: ranks without a device are refused") {
  collectives::on_threads(2, [&](collectives::Communicator& communicator) {
    collectives::HostExecutor host(communicator);
    CHECK_THROWS_AS(device_probe(host, 1 << 16), Error);
  });
}
