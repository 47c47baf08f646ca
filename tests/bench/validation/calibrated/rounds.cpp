#include "bench/validation/calibrated/rounds.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "algorithms/algorithm.hpp"
#include "bench/validation/calibrated/torus_rounds.hpp"
#include "simulator/topologies/build/kind.hpp"
#include "simulator/topologies/routing/routing.hpp"
#include "tests/support/catch.hpp"

using namespace arlab;
using namespace arlab::simulator;

TEST_CASE("the rounds of rank 0 send what the algorithm's cost model claims") {
  for (const char* name : {"butterfly", "swing_whole", "rabenseifner", "swing", "ring", "tree"})
    for (const Rank ranks : {2, 3, 4, 7, 8, 16}) {
      INFO(name << " on " << ranks);
      const Algorithm& algorithm = find_algorithm(name);
      const Problem problem{.ranks = ranks, .elements = 16 * ranks};
      double sent = 0, received = 0;
      for (const MessageRound& round : message_rounds(name, ranks, 4 * problem.elements)) {
        CHECK(round.distance >= 1);
        CHECK(2 * round.distance <= ranks);
        sent += static_cast<double>(round.count) * round.bytes;
        received += static_cast<double>(round.count) * round.reduced;
      }
      const Cost cost = algorithm.rank_cost_model(problem, 0);
      const bool folds = (ranks & (ranks - 1)) != 0 || std::string_view(name) == "tree";
      if (folds && std::string_view(name) != "ring")  // rounds that only receive count their bytes
        CHECK(sent >= 4 * static_cast<double>(cost.elements));
      else
        CHECK(sent == 4 * static_cast<double>(cost.elements));
      CHECK(received > 0);
    }
}

TEST_CASE(
    "a ring is two kinds of shifts, recursive doubling is exchanges farther and farther away") {
  const std::vector<MessageRound> ring = message_rounds("ring", 8, 8192);
  REQUIRE(ring.size() == 2);
  CHECK(ring[0].count == 7);
  CHECK(ring[0].shift);
  CHECK(ring[0].bytes == 1024);
  CHECK(ring[0].reduced == 1024);
  CHECK(ring[1].reduced == 0);
  const std::vector<MessageRound> doubling = message_rounds("butterfly", 8, 8192);
  REQUIRE(doubling.size() == 3);
  for (int k = 0; k < 3; ++k) {
    CHECK(doubling[index(k)].distance == 1 << k);
    CHECK(!doubling[index(k)].shift);
    CHECK(doubling[index(k)].bytes == 8192);
  }
}

TEST_CASE("a root that receives from all ranks takes their messages one after the other") {
  Count messages = 0;
  for (const MessageRound& round : message_rounds("master_worker", 9, 4096))
    messages += round.count;
  CHECK(messages == 16);
}

namespace {

// The busiest link by the project's own torus and routes, if each rank sends to `peer_of`.
template <class PeerOf>
double busiest_link(const std::string& torus, Rank ranks, PeerOf peer_of) {
  const Topology topology = make_topology(torus, ranks);
  Router router(topology, Routing::dimension);
  std::vector<int> load(topology.links().size(), 0);
  for (Rank rank = 0; rank < ranks; ++rank)
    for (const LinkId link : router.route(rank, peer_of(rank))) ++load[index(link)];
  return *std::max_element(load.begin(), load.end());
}

Rank across(Rank at, Count distance, Rank size) {
  return static_cast<Rank>(((at + distance) % size + size) % size);
}

}  // namespace

TEST_CASE(
    "link loads of one port equal those of routed messages, where no way is as long as the other") {
  const RankGrid ring({16});
  const std::vector<TorusRound> swing = torus_rounds(ring, 1, true);
  REQUIRE(swing.size() == 4);
  const Count rho[] = {1, -1, 3, -5};
  for (std::size_t k = 0; k < 4; ++k) {
    const double routed = busiest_link(
        "torus:dims=16", 16, [&](Rank r) { return across(r, r % 2 == 0 ? rho[k] : -rho[k], 16); });
    CHECK(swing[k].load == routed);
    CHECK(swing[k].hops == std::abs(rho[k]));
  }
  const std::vector<TorusRound> doubling = torus_rounds(ring, 1, false);
  for (int k = 0; k < 3; ++k)
    CHECK(doubling[index(k)].load ==
          busiest_link("torus:dims=16", 16, [&](Rank r) { return r ^ (1 << k); }));
  CHECK(doubling[3].hops == 8);
  CHECK(doubling[3].load == 4);  // 16 messages over 8 hops, half each way, on 32 links
}

TEST_CASE("ports use other dimensions at the same time, mirrored ones the opposite links") {
  for (const TorusRound& round : torus_rounds(RankGrid({4, 4, 4}), 6, true)) {
    CHECK(round.hops == 1);
    CHECK(round.load == 1);
  }
  // Two hosts share one cable, so that a port and its mirror share it.
  for (const TorusRound& round : torus_rounds(RankGrid({2, 2, 2}), 6, true)) CHECK(round.load == 2);
  CHECK(torus_rounds(RankGrid({8, 4}), 1, false).size() == 5);
  CHECK(unsupported_torus(RankGrid({6, 4})).find("6x4") != std::string::npos);
}
