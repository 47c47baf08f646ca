// What a calibration for one question measures.
#include "bench/calibrate/design.hpp"

#include <algorithm>
#include <cmath>

#include "bench/calibrate/patterns.hpp"
#include "simulator/connections/connections.hpp"
#include "simulator/engine/simulate.hpp"
#include "tests/support/catch.hpp"

using namespace arlab;
using namespace arlab::bench;

namespace {

constexpr Count kDesigned = 1 << 18;  // bytes, on four ranks

simulator::Machine designed_machine() {
  simulator::Machine m;
  m.latency = 40e6;
  m.beta = 20e3;
  m.envelope = 98;
  m.eager = 16'384;
  m.socket = 100'000;
  m.queue = 48'000;
  m.segment = 24'000;
  m.reduction = {{{1024, 0.2e6}, {65536, 12e6}}};
  return m;
}

ProbeTimes pilot_times(const simulator::Machine& m, double error) {
  ProbeTimes t;
  t.eager_bytes = m.eager;
  t.ranks = 3;
  for (const Count bytes : pilot_plan({}).one_way) {
    const double us = pattern_us(Pattern::round_trip, bytes, m) / 2;
    t.one_way.push_back({static_cast<double>(bytes), us, error});
  }
  t.local_send = t.one_way.back();
  for (const auto& p : m.reduction.points) t.reductions.push_back({p.bytes, p.time / 1e6});
  t.loaded_round_trip_us = 2 * t.one_way.front().us + m.queue * m.beta / 1e6;
  return t;
}

double designed_us(const char* algorithm, const simulator::Machine& m) {
  const auto network = simulator::machine_network(
      m, 4, simulator::build_fabric({.topology = "crossbar:latency=0"}, 4));
  return microseconds(simulator::simulate(find_algorithm(algorithm),
                                          {.ranks = 4, .elements = kDesigned / 4}, 4, *network)
                          .finish);
}

}  // namespace

TEST_CASE("a plan is read back from its text") {
  for (const ProbePlan& plan :
       {ProbePlan{{4, 8192, 65536}, {4096, 16384}}, ProbePlan{{4, 8}, {}}, ProbePlan{{4}, {4096}}})
    CHECK(plan_of(text_of(plan)) == plan);
}

TEST_CASE("a design takes less than half of the time, and says as much about its question") {
  const ProbeOptions options{.seconds = 0.01, .largest = 1 << 22};
  const Question question{
      .least = kDesigned / 4, .most = kDesigned, .ratio = [](const simulator::Machine& m) {
        return designed_us("ring", m) / designed_us("rabenseifner", m);
      }};
  const Design d = design_for(question, pilot_times(designed_machine(), 0.02), options);
  INFO(text_of(d.plan) << " of " << text_of(d.whole));
  CHECK(d.seconds <= 0.5 * d.whole_seconds);
  CHECK(d.plan.one_way.size() + d.plan.pairs.size() <=
        (d.whole.one_way.size() + d.whole.pairs.size()) / 2);
  CHECK(d.error <= 1.05 * d.whole_error);
  CHECK(d.plan.one_way.front() == 4);
  CHECK(std::is_sorted(d.plan.one_way.begin(), d.plan.one_way.end()));
  // What the model lacks is seen at the sizes of the question.
  CHECK(std::ranges::find(d.plan.pairs, 65536) != d.plan.pairs.end());
  // The largest messages take most of the time, and the question has none of them.
  CHECK(d.plan.one_way.back() <= 2 * kDesigned);
}
