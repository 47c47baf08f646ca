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

ProbeTimes probed(const simulator::Machine& machine, Rank ranks) {
  simulator::Connections network(
      machine, ranks, simulator::build_fabric({.topology = "crossbar:latency=0"}, ranks));
  ProbeTimes times;
  training::on_emulated_ranks(network, ranks, [&](collectives::Communicator& communicator) {
    const ProbeTimes mine = probe(communicator, {.seconds = 0, .largest = 1 << 19});
    if (communicator.rank() == 0) times = mine;
  });
  return times;
}

}  // namespace

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
  CHECK(found.machine.drift < 1e6);
  for (const FitRow& row : found.rows) {
    INFO(row.probe << " " << row.bytes);
    CHECK(std::abs(row.error()) < 0.1);
  }
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

TEST_CASE("what a barrier leaves of a burst is recovered") {
  // Times of a machine whose links let 3000 bytes pass at once, and 1800 at the start.
  simulator::Machine m = known();
  m.burst = 3000;
  m.burst_left = 1800;
  ProbeTimes times = probed(known(), 3);
  for (TimeOfSize& t : times.one_way)
    t.us = pattern_us(Pattern::round_trip, static_cast<Bytes>(t.bytes), m) / 2;
  for (ExchangeTimes& t : times.exchanges)
    t.executor_us = pattern_us(Pattern::exchange, static_cast<Bytes>(t.bytes), m);
  for (TimeOfSize& t : times.fan_out)
    t.us = pattern_us(Pattern::fan_out, static_cast<Bytes>(t.bytes), m);
  for (TimeOfSize& t : times.fan_in)
    t.us = pattern_us(Pattern::fan_in, static_cast<Bytes>(t.bytes), m);
  const Fit found = fit(times, true);
  CHECK(found.machine.burst == Approx(m.burst).epsilon(0.25));
  CHECK(found.machine.burst_left == Approx(m.burst_left).epsilon(0.3));
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
