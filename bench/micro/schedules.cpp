// Schedulers on a real clock, beside virtual time: the reference iteration (forward 1, backward 2,
// communication 2, 2, 6 units for three layers; a unit is 4 ms), computed by waiting. The time is
// that of a step; `virtual` is what the simulation of the same scheduler says, in milliseconds.
#include <benchmark/benchmark.h>

#include <chrono>
#include <string>
#include <thread>

#include "training/schedulers/dispatcher.hpp"
#include "training/schedulers/timeline.hpp"

namespace arlab::bench::micro {
namespace {

using Steady = std::chrono::steady_clock;

constexpr Time kUnit = 4 * kSecond / 1000;
constexpr Count kElements = 100'000;  // that the link carries in a unit
constexpr int kSteps = 12, kCounted = 8;

training::Study reference(const training::SchedulerKind& kind) {
  const double beta = picoseconds(kUnit) / (kElements * training::kGradientBytes);
  training::Study study{.profile = {{"1", kUnit, 2 * kUnit, 2 * kElements, {}},
                                    {"2", kUnit, 2 * kUnit, 2 * kElements, {}},
                                    {"3", kUnit, 2 * kUnit, 6 * kElements, {}}},
                        .link = {kUnit / 20, beta, Time{}},
                        .kind = &kind};
  for (const Parameter& p : kind.parameters)  // of a size with these layers
    if (p.unit == Parameter::Unit::bytes) study.values[std::string(p.name)] = 4e5;
  return study;
}

// Sleeps most of the time, so that both threads find a core, and spins the rest, to be exact.
void spend(Time time) {
  const auto end = Steady::now() + std::chrono::duration_cast<std::chrono::nanoseconds>(time);
  std::this_thread::sleep_until(end - std::chrono::microseconds(200));
  while (Steady::now() < end) continue;
}

double seconds_a_step(const training::Study& study) {
  training::Dispatcher dispatcher(collectives::machine_clock(), true);
  dispatcher.schedule(*study.kind, study.profile, study.link, study.values,
                      [&](const training::Bundle& bundle) {
                        spend(study.link.holds(bundle.bytes(), bundle.collective));
                      });
  Steady::time_point begin;
  for (int step = 0; step < kSteps; ++step) {
    if (study.kind->barrier) dispatcher.wait_for_all();
    for (int layer = 0; layer < 3; ++layer) {
      dispatcher.wait_for(layer);
      if (layer == 0 && step == kSteps - 1 - kCounted) begin = Steady::now();
      if (layer == 0 && step == kSteps - 1)
        return std::chrono::duration<double>(Steady::now() - begin).count() / kCounted;
      spend(kUnit);
    }
    for (int layer = 2; layer >= 0; --layer) {
      spend(2 * kUnit);
      dispatcher.ready(layer);
    }
  }
  return 0;
}

void step(benchmark::State& state, const training::SchedulerKind* kind) {
  const training::Study study = reference(*kind);
  for (auto _ : state) state.SetIterationTime(seconds_a_step(study));
  state.counters["virtual"] =
      training::simulate(study).period / kPicosecondsPerSecond * 1000;
}

}  // namespace

void register_schedules() {
  for (const training::SchedulerKind& kind : training::schedulers())
    benchmark::RegisterBenchmark(("schedules/" + std::string(kind.name)).c_str(), step, &kind)
        ->UseManualTime()
        ->Iterations(1)
        ->Unit(benchmark::kMillisecond);
}

}  // namespace arlab::bench::micro
