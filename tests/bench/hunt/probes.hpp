// Checks of the probes of real ranks, whatever carries their messages.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "bench/hunt/search/search.hpp"
#include "simulator/models/model.hpp"
#include "simulator/topologies/fabric.hpp"
#include "simulator/topologies/faults.hpp"
#include "tests/support/catch.hpp"
#include "training/emulation/emulated_ranks.hpp"

namespace arlab::bench {

/// What each of some ranks measured.
class TimesOfRanks {
 public:
  /// Measures all that a probe can; in every rank.
  void add(const hunt::Probe& probe, const std::vector<hunt::Pair>& pairs) {
    std::vector<double> times = probe.round_trips(pairs, 8);
    for (const double t : probe.round_trips(pairs, 1 << 16)) times.push_back(t);
    for (const double t : probe.copy()) times.push_back(t);
    for (const double t : probe.add()) times.push_back(t);
    const std::lock_guard lock(mutex_);
    seen_.push_back(times);
  }

  void check_same_and_positive(Rank ranks, std::size_t pairs) const {
    REQUIRE(static_cast<Rank>(seen_.size()) == ranks);
    CHECK(seen_[0].size() == 2 * pairs + 2 * static_cast<std::size_t>(ranks));
    for (const auto& times : seen_) CHECK(times == seen_[0]);
    for (const double t : seen_[0]) CHECK(t > 0);
  }

 private:
  std::mutex mutex_;
  std::vector<std::vector<double>> seen_;
};

/// Returns what ranks find whose messages take the time of a crossbar with a slow link.
inline hunt::Search found_with_slow_link(
    Rank ranks, const char* link,
    const std::function<hunt::Search(collectives::Communicator&)>& hunt_of) {
  const auto fabric = simulator::build_fabric({.topology = "crossbar"}, ranks);
  auto slow = std::make_shared<simulator::Fabric>(*fabric);
  const simulator::LinkFault faults[] = {{link, 4}};
  slow->topology = simulator::with_faults(fabric->topology, faults);
  const auto network =
      simulator::make_network(simulator::find_model("fluid"), {}, ranks,
                              std::shared_ptr<const simulator::Fabric>(std::move(slow)));
  hunt::Search found;
  training::on_emulated_ranks(*network, ranks, [&](collectives::Communicator& communicator) {
    hunt::Search mine = hunt_of(communicator);
    if (communicator.rank() == 0) found = std::move(mine);
  });
  return found;
}

/// Returns what a probe finds by its messages alone: copies and additions take no simulated time.
inline hunt::Search search_by_messages(hunt::Probe probe) {
  probe.copy = probe.add = {};
  return hunt::search(probe, {.bytes = 1 << 20});
}

}  // namespace arlab::bench
