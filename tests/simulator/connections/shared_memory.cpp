// Messages within one machine, against times computed by hand.
#include "simulator/connections/shared_memory.hpp"

#include "simulator/connections/connections.hpp"
#include "simulator/engine/simulate.hpp"
#include "simulator/noise/noisy_network.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/schedules.hpp"
#include "tests/support/time.hpp"

using namespace arlab;
using namespace arlab::simulator;

namespace {

// A notice takes 1 us, a copy 10 us for 1000 bytes, and nothing is above the eager limit.
Machine one_machine() {
  Machine m;
  m.shared = true;
  m.latency = 1e6;
  m.eager = 1e15;
  m.host = {{{1000, 10e6}}};
  return m;
}

Algorithm scripted(const AllRounds& script) {
  Algorithm algorithm{};
  algorithm.name = "a script";
  algorithm.collectives = {Collective::allreduce};
  algorithm.program = [script](const Problem&, Rank me) {
    return replay(script[static_cast<std::size_t>(me)]);
  };
  return algorithm;
}

SimulationResult copied(const Machine& machine, const AllRounds& script, Bytes bytes) {
  const auto ranks = static_cast<Rank>(script.size());
  SharedMemory network(machine, ranks);
  return simulate(scripted(script), {.ranks = ranks, .elements = bytes}, 1, network);
}

double copied_us(const Machine& machine, const AllRounds& script, Bytes bytes) {
  return microseconds(copied(machine, script, bytes).finish);
}

double copied_at_us(const Machine& machine, const AllRounds& script, Bytes bytes, Rank rank) {
  return microseconds(copied(machine, script, bytes).finish_of[static_cast<std::size_t>(rank)]);
}

const Problem kCouple{.ranks = 2, .elements = 1}, kTrio{.ranks = 3, .elements = 1};
const Chunks kEntire = kCouple.all(), kFirstHalf = kCouple.chunk(0), kSecondHalf = kCouple.chunk(1),
             kEntireOf3 = kTrio.all();
const AllRounds kThere{{{send(1, kEntire)}}, {{replace(0, kEntire)}}};
const AllRounds kSwap{{{send(1, kEntire), replace(1, kEntire)}},
                      {{send(0, kEntire), replace(0, kEntire)}}};

}  // namespace

TEST_CASE("a machine without measured copies has messages that take the latency") {
  Machine m = one_machine();
  m.host = {};
  m.host_together = {{{1000, 30e6}}};  // of no use without the time of a copy alone
  CHECK(copied_us(with_values(m, values_of(m)), kSwap, 1'000'000) == 1);
}

TEST_CASE("a receiver copies its messages one after another, and two receivers at the same time") {
  CHECK(copied_us(one_machine(), kThere, 1000) == 1 + 10);
  CHECK(copied_us(one_machine(), kThere, 2000) == 1 + 20);
  const AllRounds out{{{send(1, kEntireOf3), send(2, kEntireOf3)}},
                      {{replace(0, kEntireOf3)}},
                      {{replace(0, kEntireOf3)}}};
  const AllRounds in{{{replace(1, kEntireOf3), replace(2, kEntireOf3)}},
                     {{send(0, kEntireOf3)}},
                     {{send(0, kEntireOf3)}}};
  CHECK(copied_us(one_machine(), out, 1000) == 1 + 10);
  CHECK(copied_us(one_machine(), in, 1000) == 1 + 10 + 10);
  Machine m = one_machine();
  m.gap = 3e6;  // the second message leaves later
  CHECK(copied_us(m, out, 1000) == 3 + 1 + 10);
}

TEST_CASE("above the eager limit a copy waits for its receive, and a send for its copy") {
  // Rank 1 receives from rank 2 first, which takes 11 us.
  const AllRounds late{{{send(1, kEntireOf3)}},
                       {{replace(2, kEntireOf3)}, {replace(0, kEntireOf3)}},
                       {{send(1, kEntireOf3)}}};
  Machine m = one_machine();
  CHECK(copied_at_us(m, late, 1000, 0) == 0);
  CHECK(copied_at_us(m, late, 1000, 1) == 1 + 10 + 10);  // the library has copied both by then
  m.eager = 999;
  CHECK(copied_at_us(m, late, 1000, 0) == 1 + 10 + 10);
  CHECK(copied_at_us(m, late, 1000, 2) == 1 + 10);
  CHECK(copied_at_us(m, late, 999, 0) == 0);
}

TEST_CASE("copies at the same time take longer, by the part of their time that they share") {
  Machine m = one_machine();
  m.host_together = {{{1000, 15e6}}};
  CHECK(copied_us(m, kThere, 1000) == 1 + 10);
  CHECK(copied_us(m, kSwap, 1000) == 1 + 15);
  Machine free = m;
  free.host = {{{1000, 0}}};
  CHECK(copied_us(free, kThere, 1000) == 1);
  CHECK(copied_us(free, kSwap, 1000) == 1 + 15);
  // Rank 3 begins when half of rank 1's copy is done: both are prolonged by half of 5 us.
  const Chunks all = Problem{.ranks = 4, .elements = 1}.all();
  const AllRounds apart{
      {{send(1, all)}}, {{replace(0, all)}}, {{send(3, all)}}, {{replace(2, all)}}};
  const Algorithm algorithm = scripted(apart);
  SharedMemory network(m, 4);
  const std::vector<Time> starts{Time{}, Time{}, 5 * kMicrosecond, 5 * kMicrosecond};
  const SimulationResult r =
      simulate(algorithm, {.ranks = 4, .elements = 1000}, 1, network, {.starts = starts});
  CHECK(microseconds(r.finish_of[1]) == Approx(1 + 10 + 2.5));
  CHECK(microseconds(r.finish_of[3]) == Approx(5 + 1 + 10 + 2.5));
}

TEST_CASE("an addition to elements that the rank sends in the same round has a time of its own") {
  Machine m = one_machine();
  m.reduction = {{{1000, 2e6}}};
  m.reduction_sent = {{{1000, 7e6}}};
  const AllRounds whole{{{send(1, kEntire), reduce(1, kEntire)}},
                        {{send(0, kEntire), reduce(0, kEntire)}}};
  const AllRounds parts{{{send(1, kFirstHalf), reduce(1, kSecondHalf)}},
                        {{send(0, kSecondHalf), reduce(0, kFirstHalf)}}};
  const AllRounds added{{{send(1, kEntire)}}, {{reduce(0, kEntire)}}};
  CHECK(copied_us(m, whole, 1000) == 1 + 10 + 7);
  CHECK(copied_us(m, parts, 2000) == 1 + 10 + 2);
  CHECK(copied_us(m, added, 1000) == 1 + 10 + 2);
  Values values = values_of(m);
  values["resent"] = 0;
  CHECK(copied_us(with_values(m, values), whole, 1000) == 1 + 10 + 2);
  values["resent"] = 1;
  values["gamma"] = 1e3;  // picoseconds per byte
  CHECK(copied_us(with_values(m, values), whole, 1000) == 1 + 10 + 1);
}

TEST_CASE("noise keeps apart the two kinds of additions") {
  Machine m = one_machine();
  m.reduction_sent = {{{1000, 7e6}}};
  const AllRounds whole{{{send(1, kEntire), reduce(1, kEntire)}},
                        {{send(0, kEntire), reduce(0, kEntire)}}};
  const Algorithm algorithm = scripted(whole);
  NoisyNetwork network(std::make_unique<SharedMemory>(m, 2), 2, {});
  CHECK(simulate(algorithm, {.ranks = 2, .elements = 1000}, 1, network).finish ==
        18 * kMicrosecond);
}

TEST_CASE("a rank copies and adds one thing at a time") {
  Machine m = one_machine();
  m.reduction = {{{1000, 2e6}}};
  const AllRounds in{{{reduce(1, kEntireOf3), reduce(2, kEntireOf3)}},
                     {{send(0, kEntireOf3)}},
                     {{send(0, kEntireOf3)}}};
  CHECK(copied_us(m, in, 1000) == 1 + 10 + 10 + 2 + 2);
}

TEST_CASE("messages of one pair do not overtake one another within a machine") {
  Machine m = one_machine();
  for (const double eager : {0., 500., 1e15})
    for (const char* name : {"rabenseifner", "swing", "butterfly", "tree", "all_to_all"})
      for (const Rank ranks : {2, 3, 5, 6}) {
        INFO(name << " on " << ranks << " ranks, eager " << eager);
        m.eager = eager;
        m.drift = m.drift_long = 2e6;
        const Problem problem{.ranks = ranks, .elements = 1003};
        const Algorithm& algorithm = find_algorithm(name);
        SharedMemory network(m, ranks);
        CHECK(simulate(algorithm, problem, 4, network).sent == predicted_cost(algorithm, problem));
      }
}

TEST_CASE("the random delays of ranks within a machine depend on the seed only") {
  Machine m = one_machine();
  m.drift = 5e6;
  const Time once = copied(m, kSwap, 1000).finish;
  CHECK(once > 11 * kMicrosecond);
  CHECK(copied(m, kSwap, 1000).finish == once);
  m.seed = 2;
  CHECK(copied(m, kSwap, 1000).finish != once);
}

TEST_CASE("a machine's network has links unless its ranks share a memory") {
  Machine m = one_machine();
  const auto fabric = build_fabric({.topology = "crossbar"}, 2);
  CHECK(machine_network(m, 2, fabric)->loads(Time{1}).empty());
  m.shared = false;
  CHECK_FALSE(machine_network(m, 2, fabric)->loads(Time{1}).empty());
}
