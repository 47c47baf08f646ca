// The probe of GPUs, on stand-ins for them: times that all ranks share, and a slow port found by
// messages from device to device.
#include <atomic>

#include "algorithms/base/error.hpp"
#include "bench/hunt/device_probe.hpp"
#include "collectives/host/host_executor.hpp"
#include "tests/bench/hunt/probes.hpp"
#include "tests/support/on_staged_ranks.hpp"

using namespace arlab;
using namespace arlab::bench;

TEST_CASE("hunt on devices: all ranks of a probe get the same positive times") {
  for (const Rank ranks : {2, 3, 5}) {
    std::vector<hunt::Pair> pairs{{1, 0}};
    if (ranks > 3) pairs.push_back({2, 4});
    TimesOfRanks times;
    std::atomic<Rank> right = 0;
    collectives::on_staged_ranks(
        ranks, [&](collectives::Communicator&, collectives::StagedExecutor& staged) {
          const hunt::Probe probe = device_probe(staged, 1 << 16);
          right += probe.ranks == ranks && probe.most_bytes == 1 << 16 &&
                   hunt::fitting_bytes(probe) == 1 << 16;
          times.add(probe, pairs);
        });
    CHECK(right == ranks);
    times.check_same_and_positive(ranks, pairs.size());
  }
}

TEST_CASE("hunt on devices: a slow port is found by messages in simulated time") {
  constexpr Rank kRanks = 5;
  collectives::Devices devices =
      collectives::host_devices({.count = kRanks, .peers = false, .disorder = 7});
  const hunt::Search found =
      found_with_slow_link(kRanks, "h3--s0", [&](collectives::Communicator& communicator) {
        collectives::RoundTransport transport(communicator);
        collectives::StagedExecutor staged(communicator, *devices[index(communicator.rank())],
                                           transport);
        return search_by_messages(device_probe(staged, 1 << 20));
      });
  REQUIRE(found.findings.size() == 1);
  CHECK(found.findings[0].place == hunt::Place::port);
  CHECK(found.findings[0].quantity == hunt::Quantity::bandwidth);
  CHECK(found.findings[0].ranks == std::vector<Rank>{3});
}

TEST_CASE("hunt on devices: ranks without a device are refused") {
  std::atomic<int> refused = 0;
  collectives::on_threads(2, [&](collectives::Communicator& communicator) {
    collectives::HostExecutor host(communicator);
    try {
      device_probe(host, 1 << 16);
    } catch (const Error&) {
      ++refused;
    }
  });
  CHECK(refused == 2);
}
