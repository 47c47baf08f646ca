// Each mechanism of the model, against times computed by hand.
#include "simulator/connections/connections.hpp"

#include "simulator/engine/simulate.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/schedules.hpp"
#include "tests/support/time.hpp"

using namespace arlab;
using namespace arlab::simulator;

namespace {

// 1 byte per nanosecond, 10 us of latency, and no other mechanism.
Machine plain() {
  Machine m;
  m.latency = 10e6;
  m.beta = 1000;
  m.eager = 1e15;
  m.socket = 0;
  m.queue = 0;
  m.mtu = 1;
  m.envelope = 0;  // one byte for requests and grants
  return m;
}

Algorithm of(AllRounds script) {
  Algorithm algorithm{};
  algorithm.name = "a script";
  algorithm.collectives = {Collective::allreduce};
  algorithm.program = [script = std::move(script)](const Problem&, Rank me) {
    return replay(script[static_cast<std::size_t>(me)]);
  };
  return algorithm;
}

SimulationResult times(const Machine& machine, const AllRounds& script, Bytes bytes) {
  const auto ranks = static_cast<Rank>(script.size());
  Connections network(machine, ranks, build_fabric({.topology = "crossbar:latency=0"}, ranks));
  return simulate(of(script), {.ranks = ranks, .elements = bytes}, 1, network);
}

double finish_us(const Machine& machine, const AllRounds& script, Bytes bytes) {
  return microseconds(times(machine, script, bytes).finish);
}

const Problem kTwo{.ranks = 2, .elements = 1};
const Chunks kAll = kTwo.all();
const Chunks kAllOf3 = Problem{.ranks = 3, .elements = 1}.all();
const AllRounds kOneWay{{{send(1, kAll)}}, {{replace(0, kAll)}}};
const AllRounds kExchange{{{send(1, kAll), replace(1, kAll)}}, {{send(0, kAll), replace(0, kAll)}}};

}  // namespace

TEST_CASE("a message takes the latency and its bytes at the port's rate") {
  // Packets of a 256th are stored once more at the switch.
  CHECK(finish_us(plain(), kOneWay, 256'000) == Approx(10 + 256 + 1));
  // One byte of headers, and both through two links.
  CHECK(finish_us(plain(), kOneWay, 1) == Approx(10 + 0.003));
}

TEST_CASE("a burst passes an idle link at once, and is not free again before it has refilled") {
  Machine m = plain();
  m.burst = 6000;
  m.latency = 100e6;  // of which 6 us refill the bucket
  CHECK(finish_us(m, kOneWay, 5000) == Approx(100 + 5).epsilon(0.001));  // empty at first
  m.burst_left = 2000;
  CHECK(finish_us(m, kOneWay, 5000) == Approx(100 + 3).epsilon(0.001));
  m.burst_left = 9000;  // no more than the burst
  CHECK(finish_us(m, kOneWay, 5000) == Approx(100).epsilon(0.001));
  m.burst_left = 0;
  const AllRounds later{{{send(1, kAll)}, {replace(1, kAll)}},
                        {{replace(0, kAll)}, {send(0, kAll)}}};
  CHECK(finish_us(m, later, 5000) == Approx(200 + 5).epsilon(0.001));
  CHECK(finish_us(m, later, 256'000) == Approx(200 + 256 + 250).epsilon(0.005));
}

TEST_CASE("a message above the eager limit waits for a request and a grant") {
  Machine m = plain();
  m.eager = 999;
  CHECK(finish_us(m, kOneWay, 999) == Approx(10 + 0.999).epsilon(0.01));
  CHECK(finish_us(m, kOneWay, 256'000) == Approx(30 + 256 + 1));  // control messages pass all
  m.queue = 64000;
  CHECK(finish_us(m, kOneWay, 256'000) == Approx(30 + 256 + 1).epsilon(1e-4));
}

TEST_CASE("a grant waits for the receive") {
  Machine m = plain();
  m.eager = 0;
  // Rank 1 first waits for a message from rank 2, which is 100 us long and needs 30 us more.
  const AllRounds late{
      {{send(1, kAllOf3)}}, {{replace(2, kAllOf3)}, {replace(0, kAllOf3)}}, {{send(1, kAllOf3)}}};
  const double one = finish_us(m, kOneWay, 100'000);
  CHECK(finish_us(m, late, 100'000) == Approx(one + 20 + 100.4).epsilon(0.005));
}

TEST_CASE("what is posted first decides whether an exchange is half duplex") {
  Machine m = plain();
  m.eager = 1000;
  m.queue = 64000;
  m.drift_long = 1e6;  // so that one rank is later than the other
  for (std::uint64_t seed = 1; seed < 6; ++seed) {
    m.seed = seed;
    m.posting = Posting::receives;
    const double apart = finish_us(m, kExchange, 1'000'000);
    // Unless the requests cross: the ranks differ by more than the latency only seldom.
    CHECK(apart < 2100);
    m.posting = Posting::sends_of_exchanges;
    CHECK(finish_us(m, kExchange, 1'000'000) == Approx(1035).epsilon(0.02));
  }
  // Rank 1 is late by 100 us. It grants before it asks, and asks in vain while it receives.
  const AllRounds skewed{{{send(1, kAllOf3), replace(1, kAllOf3)}},
                         {{replace(2, kAllOf3)}, {send(0, kAllOf3), replace(0, kAllOf3)}},
                         {{send(1, kAllOf3)}}};
  m.drift_long = 0;
  m.posting = Posting::receives;
  const double half = finish_us(m, skewed, 1'000'000);
  m.posting = Posting::sends_of_exchanges;
  const double full = finish_us(m, skewed, 1'000'000);
  CHECK(half - full == Approx(1000).epsilon(0.05));
  m.posting = Posting::receives;
  m.ordered = false;  // a second connection for control: then only the host's queue delays it
  CHECK(finish_us(m, skewed, 1'000'000) - full == Approx(64).epsilon(0.6));
}

TEST_CASE("a send ends when the rest of it fits the socket") {
  Machine m = plain();
  m.eager = 0;
  CHECK(microseconds(times(m, kOneWay, 256'000).finish_of[0]) == Approx(20 + 256 + 1));
  m.socket = 100'000;
  CHECK(microseconds(times(m, kOneWay, 256'000).finish_of[0]) == Approx(20 + 157).epsilon(0.01));
  m.eager = 1e15;
  CHECK(microseconds(times(m, kOneWay, 256'000).finish_of[0]) == 0);
}

TEST_CASE("small messages wait behind the backlog of a stream") {
  Machine m = plain();
  m.queue = 64000;
  m.segment = 1000;
  // Rank 0 streams to rank 1. Its grant to rank 2, which asks late, waits for the backlog.
  const Chunks first = kTwo.chunk(0);
  m.eager = 1000;
  const AllRounds stream{{{send(1, kAll), replace(2, first)}},
                         {{replace(0, kAll)}},
                         {{replace(3, first)}, {send(0, first)}},
                         {{send(2, first)}}};
  const double queued = microseconds(times(m, stream, 1'000'000).finish_of[2]);
  m.queue = 0;
  const double free = microseconds(times(m, stream, 1'000'000).finish_of[2]);
  CHECK(queued - free == Approx(64).epsilon(0.1));
}

TEST_CASE("streams of one host share its port, and messages to one host its other end") {
  const AllRounds out{
      {{send(1, kAllOf3), send(2, kAllOf3)}}, {{replace(0, kAllOf3)}}, {{replace(0, kAllOf3)}}};
  const AllRounds in{
      {{replace(1, kAllOf3), replace(2, kAllOf3)}}, {{send(0, kAllOf3)}}, {{send(0, kAllOf3)}}};
  CHECK(finish_us(plain(), out, 256'000) == Approx(10 + 512 + 1));
  CHECK(finish_us(plain(), in, 256'000) == Approx(10 + 512 + 1));
}

TEST_CASE("drift depends on its seed only") {
  Machine m = plain();
  m.drift = 5e6;
  const Time once = times(m, kExchange, 1000).finish;
  CHECK(times(m, kExchange, 1000).finish == once);
  m.seed = 2;
  CHECK(times(m, kExchange, 1000).finish != once);
}

TEST_CASE("curves add a message's time by its size, and that of additions") {
  Machine m = plain();
  m.host = {{{100, 1e6}, {200, 3e6}}};
  CHECK(finish_us(m, kOneWay, 10) == Approx(11.01).epsilon(0.001));
  CHECK(finish_us(m, kOneWay, 150) == Approx(12.15).epsilon(0.001));
  CHECK(finish_us(m, kOneWay, 400) == Approx(16.4).epsilon(0.001));
  m.host = {};
  m.reduction = {{{1000, 7e6}}};
  const AllRounds added{{{send(1, kAll)}}, {{reduce(0, kAll)}}};
  CHECK(finish_us(m, added, 2000) == Approx(10 + 2.008 + 14).epsilon(0.001));
}

TEST_CASE("values replace the numbers of a machine, and give them back") {
  Machine m = plain();
  m.host = {{{100, 1e6}}};
  CHECK(with_values(m, values_of(m)) == m);
  Values values = values_of(m);
  values["curve"] = 0;
  values["gamma"] = 3;
  values["S"] = 5;
  const Machine other = with_values(m, values);
  CHECK(other.host.points.empty());
  CHECK(other.reduction.at(10) == 30);
  CHECK(other.eager == 5);
}

TEST_CASE("a message does not overtake a larger one of its pair that takes the host longer") {
  Machine m = plain();
  m.host.points = {{512, 0}, {1024, 100e6}};
  for (const double eager : {0., 894., 1e15})
    for (const char* name : {"rabenseifner", "swing", "butterfly", "tree"})
      for (const Rank ranks : {3, 5, 6}) {
        INFO(name << " on " << ranks << " ranks, eager " << eager);
        m.eager = eager;
        const Problem problem{.ranks = ranks, .elements = 256};
        const Algorithm& algorithm = find_algorithm(name);
        Connections network(m, ranks, build_fabric({.topology = "crossbar:latency=0"}, ranks));
        CHECK(simulate(algorithm, problem, 4, network).sent == predicted_cost(algorithm, problem));
      }
}

TEST_CASE("other jobs send over the same links, packet by packet, and runs end all the same") {
  Machine m = plain();
  m.mtu = 1000;
  const auto time = [&](const AllRounds& script, const std::vector<HostStream>& streams,
                        std::span<const Time> starts = {}) {
    const auto ranks = static_cast<Rank>(script.size());
    Connections network(m, ranks, build_fabric({.topology = "crossbar:hosts=4,latency=0"}, ranks));
    REQUIRE(network.add_streams(streams));
    return microseconds(
        simulate(of(script), {.ranks = ranks, .elements = 256'000}, 1, network, {.starts = starts})
            .finish);
  };
  const double alone = time(kOneWay, {});
  CHECK(alone == Approx(10 + 256 + 1));
  CHECK(time(kOneWay, {{1, 0}}) == alone);
  CHECK(time(kOneWay, {{2, 3}}) == alone);
  // A message has as many bytes in the queue to its target as it has sent, the stream from another
  // host as many as its socket allows.
  m.socket = 64'000;
  CHECK(time(kOneWay, {{2, 1}}) == Approx(10 + 2 * 256).epsilon(0.15));
  // What was sent while the ranks had nothing to send waits in the queue before them.
  const std::vector<Time> late{Time{1'000'000'000}, Time{1'000'000'000}};
  CHECK(time(kOneWay, {{2, 1}}, late) == Approx(1000 + 10 + 2 * 256).epsilon(0.01));
  const AllRounds deadlock{{{replace(1, kAll)}}, {{replace(0, kAll)}}};
  CHECK_THROWS_WITH(time(deadlock, {{2, 1}}), Catch::Contains("deadlock"));
}
