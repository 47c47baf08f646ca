// The probe of real ranks: every rank gets the same times, of every pair.
#include <atomic>

#include "bench/hunt/ranks_probe.hpp"
#include "collectives/threads/threads.hpp"
#include "tests/bench/hunt/probes.hpp"

using namespace arlab;
using namespace arlab::bench;

TEST_CASE("hunt: all ranks of a probe get the same positive times") {
  for (const Rank ranks : {2, 3, 4}) {
    std::vector<hunt::Pair> pairs{{1, 0}};
    if (ranks > 3) pairs.push_back({2, 3});
    TimesOfRanks times;
    std::atomic<Rank> without_groups = 0;
    collectives::on_threads(ranks, [&](collectives::Communicator& communicator) {
      const hunt::Probe probe = ranks_probe(communicator, 1 << 16);
      without_groups += probe.group_of.empty();
      times.add(probe, pairs);
    });
    CHECK(without_groups == ranks);
    times.check_same_and_positive(ranks, pairs.size());
  }
}

TEST_CASE("hunt: ranks whose messages take simulated time find a slow port of their network") {
  const hunt::Search found =
      found_with_slow_link(5, "h2--s0", [](collectives::Communicator& communicator) {
        return search_by_messages(ranks_probe(communicator, 1 << 20));
      });
  REQUIRE(found.findings.size() == 1);
  CHECK(found.findings[0].place == hunt::Place::port);
  CHECK(found.findings[0].ranks == std::vector<Rank>{2});
}
