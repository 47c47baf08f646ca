// Calibrating a simulated network with known numbers recovers them.
#include <cmath>

#include "bench/calibrate/fit.hpp"
#include "bench/calibrate/machine_text.hpp"
#include "bench/calibrate/patterns.hpp"
#include "bench/calibrate/probes.hpp"
#include "simulator/connections/connections.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/schedules.hpp"
#include "training/emulation/emulated_ranks.hpp"

using namespace arlab;
using namespace arlab::bench;

namespace {

simulator::Machine known() {
  simulator::Machine m;
  m.latency = 40e6;
  m.gap = 5e6;
  m.beta = 20e3;
  m.eager = 16'384;
  m.socket = 100'000;
  m.queue = 48'000;
  m.segment = 24'000;
  return m;
}

ProbeTimes probed(const simulator::Machine& machine, Rank ranks,
                  std::optional<ProbePlan> plan = {}) {
  const auto network = simulator::machine_network(
      machine, ranks, simulator::build_fabric({.topology = "crossbar:latency=0"}, ranks));
  ProbeTimes times;
  training::on_emulated_ranks(*network, ranks, [&](collectives::Communicator& communicator) {
    const ProbeTimes mine =
        probe(communicator,
              {.seconds = 0, .largest = 1 << 19, .several_hosts = !machine.shared, .plan = plan});
    if (communicator.rank() == 0) times = mine;
  });
  return times;
}

// Ranks of one machine.
simulator::Machine known_here() {
  simulator::Machine m;
  m.shared = true;
  m.latency = 0.5e6;
  m.gap = 0.1e6;
  m.eager = 256;
  m.host = {{{4, 0}, {4096, 2e6}, {1 << 19, 50e6}}};
  m.host_together = {{{4, 0.2e6}, {4096, 3e6}, {1 << 19, 80e6}}};
  m.reduction = {{{1024, 0.1e6}, {1 << 19, 20e6}}};
  m.reduction_sent = {{{1024, 0.1e6}, {1 << 19, 60e6}}};
  return m;
}

// What the probes of a machine would measure.
ProbeTimes would_measure(const simulator::Machine& m, const ProbeTimes& like) {
  ProbeTimes times = like;
  const auto us = [&](Pattern pattern, double bytes) {
    return pattern_us(pattern, static_cast<Bytes>(bytes), m);
  };
  for (TimeOfSize& t : times.one_way) t.us = us(Pattern::round_trip, t.bytes) / 2;
  for (LocalTimes& t : times.local)
    t = {t.bytes, us(Pattern::exchange, t.bytes), us(Pattern::sum_back, t.bytes),
         us(Pattern::exchange_sum, t.bytes), us(Pattern::exchange_part, t.bytes)};
  for (ExchangeTimes& t : times.exchanges) t.executor_us = us(Pattern::exchange, t.bytes);
  for (TimeOfSize& t : times.fan_out) t.us = us(Pattern::fan_out, t.bytes);
  for (TimeOfSize& t : times.fan_in) t.us = us(Pattern::fan_in, t.bytes);
  return times;
}

}  // namespace

TEST_CASE("ranks of one machine that answer in no time cannot be calibrated") {
  ProbeTimes times = probed(known_here(), 2);
  for (TimeOfSize& t : times.one_way) t.us = 0;
  CHECK(error_text(Blame::check, [&] { fit(times, false); }).find("too busy") != std::string::npos);
}

TEST_CASE("calibrating ranks of one machine with known numbers recovers them") {
  const simulator::Machine m = known_here();
  const ProbeTimes probes = probed(m, 2);
  CHECK(probes.local.size() == probes.one_way.size());
  ProbeTimes times = would_measure(m, probes);
  times.spread_us = 0.1;
  times.long_spread_us = 1;
  const Fit found = fit(times, false);
  CHECK(found.machine.shared);
  CHECK(found.machine.latency == Approx(m.latency).epsilon(0.01));
  CHECK(found.machine.gap == Approx(m.gap).epsilon(0.05));
  CHECK(found.machine.eager == m.eager);
  CHECK_FALSE(is_random(found.machine));  // the delays of ranks are in all times
  for (const double bytes : {4096., 65536., 524288.}) {
    INFO(bytes << " bytes");
    CHECK(found.machine.host.at(bytes) == Approx(m.host.at(bytes)).epsilon(0.01));
    CHECK(found.machine.host_together.at(bytes) == Approx(m.host_together.at(bytes)).epsilon(0.01));
    CHECK(found.machine.reduction.at(bytes) == Approx(m.reduction.at(bytes)).epsilon(0.01));
    CHECK(found.machine.reduction_sent.at(bytes) ==
          Approx(m.reduction_sent.at(bytes)).epsilon(0.01));
  }
  for (const FitRow& row : found.rows) {
    INFO(row.probe << " " << row.bytes);
    CHECK(std::abs(row.error()) < 0.01);
  }
}

TEST_CASE("what the executor measures on ranks of one machine is repeated by the fit") {
  simulator::Machine m = known_here();
  m.reduction_sent = {};  // emulated ranks do not know what a round sends and receives
  const Fit found = fit(probed(m, 2), false);
  for (const FitRow& row : found.rows) {
    INFO(row.probe << " " << row.bytes);
    CHECK(std::abs(row.error()) < 0.05);
  }
}

TEST_CASE("an addition is never faster than on elements in the cache") {
  ProbeTimes times = would_measure(known_here(), probed(known_here(), 2));
  for (TimeOfSize& t : times.reductions) t.us = 1000;
  const Fit found = fit(times, false);
  CHECK(found.machine.reduction.at(65536) == 1000e6);
  CHECK(found.machine.reduction_sent.at(65536) == 1000e6);
}

TEST_CASE("calibrating a network with known numbers recovers them") {
  const simulator::Machine m = known();
  const Fit found = fit(probed(m, 3), true);
  // The network has 64 bytes of headers, and the fit assumes 98.
  CHECK(found.machine.latency == Approx(m.latency).epsilon(0.1));
  CHECK(found.machine.beta == Approx(m.beta).epsilon(0.02));
  CHECK(found.machine.gap == Approx(m.gap).epsilon(0.05));
  CHECK(found.machine.eager == Approx(m.eager).epsilon(0.005));
  CHECK(found.machine.socket == Approx(m.socket).epsilon(0.1));
  CHECK(found.backlog_measured);
  CHECK(found.machine.queue == Approx(m.queue).epsilon(0.25));
  CHECK(found.machine.burst < 1000);
  CHECK_FALSE(found.machine.shared);
  CHECK(found.machine.drift < 1e6);
  for (const FitRow& row : found.rows) {
    INFO(row.probe << " " << row.bytes);
    CHECK(std::abs(row.error()) < 0.1);
  }
}

TEST_CASE("a plan of short messages recovers what sockets and queues hold, too") {
  const simulator::Machine m = known();
  const Fit found =
      fit(probed(m, 3, ProbePlan{.one_way = {4, 4096, 32'768, 65'536}, .pairs = {4096}}), true);
  CHECK(found.machine.socket == Approx(m.socket).epsilon(0.1));
  CHECK(found.machine.queue == Approx(m.queue).epsilon(0.25));
}

TEST_CASE("a burst and the drift of ranks are recovered") {
  simulator::Machine m = known();
  m.burst = 3000;
  m.drift = 8e6;
  const Fit found = fit(probed(m, 2), true);
  CHECK(found.machine.burst == Approx(m.burst).epsilon(0.4));  // in steps of a quarter
  CHECK(found.machine.drift == Approx(m.drift).epsilon(0.3));
  CHECK_FALSE(found.backlog_measured);
}

TEST_CASE("a burst and what a barrier leaves of it are recovered") {
  // At 1 Gbit/s, links let 31,250 bytes pass at once; 32 KiB are hardly longer.
  struct Case {
    double us_per_byte, eager, burst, left;
  };
  for (const Case& c : {Case{0.02, 16'384, 3000, 1800}, {0.008, 65'536, 31'250, 20'000}}) {
    CAPTURE(c.burst);
    simulator::Machine m = known();
    m.beta = c.us_per_byte * 1e6;
    m.eager = c.eager;
    const ProbeTimes without = probed(m, 3);
    m.burst = c.burst;
    m.burst_left = c.left;
    const Fit found = fit(would_measure(m, without), true);
    CHECK(found.machine.burst == Approx(m.burst).epsilon(0.25));
    CHECK(found.machine.burst_left == Approx(m.burst_left).epsilon(0.3));
  }
}

TEST_CASE("a network without an eager limit has none, and one of eager messages only has all") {
  simulator::Machine m = known();
  m.eager = 0;
  CHECK(fit(probed(m, 2), true).machine.eager < 4);
  m.eager = 1e9;
  CHECK(fit(probed(m, 2), true).machine.eager >= 1 << 19);
}

TEST_CASE("a single rank has no network to probe") {
  simulator::Connections network({}, 1, simulator::build_fabric({}, 1));
  CHECK(error_text(Blame::usage, [&] {
          training::on_emulated_ranks(network, 1, [](collectives::Communicator& c) { probe(c); });
        }) == "a network cannot be measured by 1 rank: start 2 or 3");
}

TEST_CASE("the file of ranks of one machine is read back") {
  const ProbeTimes times = probed(known_here(), 2);
  const Fit found = fit(times, false);
  const simulator::Machine read = parse_machine(to_toml({}, found, times, {}), "m.toml").machine;
  CHECK(read.shared);
  CHECK(read.host_together.points.size() == times.local.size());
  CHECK(read.host_together.at(4096) == Approx(found.machine.host_together.at(4096)).epsilon(1e-3));
  CHECK(read.reduction_sent.at(4096) ==
        Approx(found.machine.reduction_sent.at(4096)).epsilon(1e-3));
}

TEST_CASE("a machine file says what was measured, and is read back") {
  const ProbeTimes times = probed(known(), 3);
  const Fit found = fit(times, true);
  const MachineFile network{.machine = {}, .topology = "crossbar:hosts=8", .placement = "cyclic"};
  const std::string text = to_toml(network, found, times,
                                   {.date = "2026-11-22T00:00:00Z",
                                    .version = "1",
                                    .backend = "mpi",
                                    .library = "Open MPI \"4\"",
                                    .command = "arlab calibrate",
                                    .hosts = {"a", "b"}});
  CHECK(text.find("Open MPI \"4\"") != std::string::npos);
  const MachineFile read = parse_machine(text, "machine.toml");
  CHECK(read.topology == "crossbar:hosts=8");
  CHECK(read.placement == "cyclic");
  CHECK(read.machine.eager == found.machine.eager);
  CHECK(read.machine.posting == found.machine.posting);
  CHECK(read.machine.latency == Approx(found.machine.latency).epsilon(1e-4));
  CHECK(read.machine.host.points.size() == found.machine.host.points.size());
}
