// The packet model against cases solved by hand. Links of 1 GB/s: a byte takes 1 ns.
#include "algorithms/base/error.hpp"
#include "simulator/link_history.hpp"
#include "simulator/topologies/fabric.hpp"
#include "simulator/topologies/import/file.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/runs.hpp"

using namespace arlab;
using namespace arlab::simulator;

namespace {

constexpr Time ns = kNanosecond;

SimulationResult on(const FabricSpec& fabric, const Values& values,
                    Program (*program)(Problem, Rank), const Problem& p) {
  const auto network = make_network(find_model("packet"), values, p.ranks, fabric);
  return simulate(tried(program), p, 1, *network);
}

// Rank 0 sends everything to rank `root`.
Program one_message(Problem p, Rank me) {
  if (me == 0) co_yield send(p.root, p.all());
  if (me == p.root) co_yield replace(0, p.all());
}

FabricSpec ring(const char* latency) {
  static std::string text;
  text = std::string("ring:hosts=12,bandwidth=1GB/s,latency=") + latency;
  return {.topology = text};
}

}  // namespace

TEST_CASE("one message over k links takes n + k - 1 packet times and k latencies") {
  for (const Rank links : {1, 2, 3, 5}) {
    const Problem p{.ranks = 12, .elements = 1000, .root = links};
    INFO(links << " links");
    // 10 packets of 100 bytes.
    CHECK(on(ring("7ns"), {{"mtu", 100}}, one_message, p).finish ==
          (10 + links - 1) * 100 * ns + links * 7 * ns);
    // With 20 bytes of header.
    CHECK(on(ring("7ns"), {{"mtu", 100}, {"header", 20}}, one_message, p).finish ==
          (10 + links - 1) * 120 * ns + links * 7 * ns);
    // 8 packets, the last of 6 bytes: it waits for the previous one at every link.
    CHECK(on(ring("0"), {{"mtu", 142}}, one_message, p).finish ==
          (8 + links - 2) * 142 * ns + 6 * ns);
    // One packet, as large as the message.
    CHECK(on(ring("7ns"), {{"mtu", 1e9}}, one_message, p).finish ==
          links * 1000 * ns + links * 7 * ns);
  }
}

TEST_CASE("a queue of one packet halves the rate, and latency delays the release of its room") {
  const Problem p{.ranks = 12, .elements = 1000, .root = 3};
  // A packet leaves when the previous one has left the next queue, two packet times later.
  CHECK(on(ring("0"), {{"mtu", 100}, {"queue", 100}}, one_message, p).finish ==
        2 * 9 * 100 * ns + 3 * 100 * ns);
  CHECK(on(ring("0"), {{"mtu", 100}, {"queue", 1}}, one_message, p).finish ==
        2 * 9 * 100 * ns + 3 * 100 * ns);  // a queue always has room for one packet
  CHECK(on(ring("50ns"), {{"mtu", 100}, {"queue", 100}}, one_message, p).finish ==
        9 * 250 * ns + 3 * 150 * ns);
  CHECK(on(ring("0"), {{"mtu", 100}, {"queue", 200}}, one_message, p).finish == 12 * 100 * ns);
}

TEST_CASE("headers take room in queues") {
  const Problem p{.ranks = 12, .elements = 1000, .root = 3};
  // A queue of 200 bytes holds two packets of 100, or one of 100 with a header of 100.
  CHECK(on(ring("0"), {{"mtu", 100}, {"queue", 200}}, one_message, p).finish == 12 * 100 * ns);
  CHECK(on(ring("0"), {{"mtu", 100}, {"header", 100}, {"queue", 200}}, one_message, p).finish ==
        2 * 9 * 200 * ns + 3 * 200 * ns);
  CHECK(on(ring("0"), {{"mtu", 100}, {"header", 100}, {"queue", 400}}, one_message, p).finish ==
        12 * 200 * ns);
}

TEST_CASE("two merging streams alternate") {
  // Rank 1 sends 10 packets to rank 0, rank 2 sends one, which waits for at most one of the ten.
  const auto program = [](Problem p, Rank me) -> Program {
    if (me == 0) co_yield together(replace(1, {0, 2}), replace(2, {2, 1}));
    if (me == 1) co_yield send(0, {0, 2});
    if (me == 2) co_yield send(0, {2, 1});
    (void)p;
  };
  const FabricSpec crossbar{.topology = "crossbar:bandwidth=1GB/s,latency=0"};
  const SimulationResult outcome =
      on(crossbar, {{"mtu", 100}}, program, {.ranks = 3, .elements = 1500});  // chunks of 500
  CHECK(outcome.finish_of[2] == 100 * ns + 10 * 100 * ns);
  CHECK(outcome.finish_of[1] == 100 * ns + 15 * 100 * ns);
  CHECK(outcome.finish_of[0] == outcome.finish_of[1]);
}

TEST_CASE("messages of one host alternate") {
  const auto program = [](Problem, Rank me) -> Program {
    if (me == 0) co_yield together(send(1, {0, 2}), send(2, {2, 1}));
    if (me == 1) co_yield replace(0, {0, 2});
    if (me == 2) co_yield replace(0, {2, 1});
  };
  const FabricSpec crossbar{.topology = "crossbar:bandwidth=1GB/s,latency=0"};
  for (const double own : {0, 1}) {
    const SimulationResult outcome =
        on(crossbar, {{"mtu", 100}, {"flow_queues", own}}, program, {.ranks = 3, .elements = 1500});
    CHECK(outcome.finish_of[2] == 10 * 100 * ns + 100 * ns);
    CHECK(outcome.finish_of[1] == 15 * 100 * ns + 100 * ns);
  }
}

TEST_CASE("a blocked packet blocks the packets behind it, except in separate queues") {
  // a sends to c over a slow link and to d over a fast one; both cross left -> right.
  const auto program = [](Problem p, Rank me) -> Program {
    if (me == 0) co_yield together(send(1, p.chunk(1)), send(2, p.chunk(2)));
    if (me != 0) co_yield replace(0, p.chunk(me));
  };
  constexpr Count kPackets = 50;
  const auto fast_done = [&](double own) {
    const auto fabric = std::make_shared<const Fabric>(
        Fabric{parse_topology(
                   "graph { edge [bandwidth=\"1GB/s\", latency=0]; a [kind=host]; c [kind=host]; d "
                   "[kind=host]; left [kind=switch]; right [kind=switch]; a -- left -- right; "
                   "right -- d; right -- c [bandwidth=\"1e8B/s\"] }",
                   "test.dot"),
               Routing::automatic, 0, std::vector<Rank>{0, 1, 2}});
    const auto network = make_network(
        find_model("packet"), {{"mtu", 100}, {"queue", 400}, {"flow_queues", own}}, 3, fabric);
    return simulate(tried(program), {.ranks = 3, .elements = 3 * kPackets * 100}, 1, *network)
        .finish_of[2];
  };
  CHECK(fast_done(1) <= (2 * kPackets + 4) * 100 * ns);
  CHECK(fast_done(0) >= (kPackets - 20) * 1000 * ns);  // nearly at the slow link's rate
}

TEST_CASE("incast: the master's link is busy all the time") {
  const Problem p{.collective = Collective::reduce, .ranks = 9, .elements = 10'000};
  const FabricSpec crossbar{.topology = "crossbar:bandwidth=1GB/s,latency=100ns"};
  const auto network = make_network(find_model("packet"), {{"mtu", 1000}}, 9, crossbar);
  LinkHistory history;
  network->watch_links(history);
  const Time finish = simulate(find_algorithm("master_worker"), p, 1, *network).finish;
  CHECK(finish == 1000 * ns + 80 * 1000 * ns + 200 * ns);
  const std::vector<LinkLoad> loads = network->loads(finish);
  for (std::size_t l = 0; l < loads.size(); ++l) {
    if (loads[l].name != "s0-h0") continue;
    CHECK(loads[l].bytes == 80'000);
    const auto busy = history.carried(l, finish);
    for (std::size_t i = 2; i + 1 < busy.size(); ++i)
      CHECK(busy[i] == Approx(picoseconds(history.step()) / 1000));
  }
}

TEST_CASE("rejects an mtu of 0") {
  CHECK_THROWS_AS(make_network(find_model("packet"), {{"mtu", 0}}, 4), Error);
}
