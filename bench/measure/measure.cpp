#include "bench/measure/measure.hpp"

#include <algorithm>
#include <chrono>

#include "bench/cli/units.hpp"
#include "collectives/patience.hpp"

namespace arlab::bench {
namespace {

using Steady = std::chrono::steady_clock;

double microseconds_since(Steady::time_point start) {
  return std::chrono::duration<double, std::micro>(Steady::now() - start).count();
}

std::vector<Measurement> measure_all(collectives::Executor& executor,
                                     std::span<const Config> configs,
                                     const MeasureOptions& options) {
  std::vector<Measurement> measured(configs.size());
  if (configs.empty()) return measured;
  collectives::Communicator& control = executor.control();
  executor.load_input(configs.front().problem, configs.front().operand);
  std::vector<int> runs(configs.size());
  std::vector<std::vector<double>> times(configs.size());
  const auto run = [&](std::size_t i) {
    const auto result = executor.run_checked(configs[i].algorithm, configs[i].segments);
    measured[i].wrong += result.wrong;
    return result;
  };
  for (std::size_t i = 0; i < configs.size(); ++i) {
    // They warm up caches and connections; their times are not kept.
    for (int k = 0; k < options.warm_ups; ++k) run(i);
    const Steady::time_point start = Steady::now();
    const auto result = run(i);
    // The same on all ranks, so that all agree on `runs`.
    const double us = control.max(microseconds_since(start));
    measured[i].sent = {control.sum(result.sent.messages), control.sum(result.sent.elements),
                        static_cast<Count>(control.max(static_cast<double>(result.sent.rounds)))};
    measured[i].traffic = result.traffic;
    runs[i] = std::clamp(static_cast<int>(std::min(options.seconds * 1e6 / us, 1e9)),
                         options.min_runs, options.max_runs);
  }
  constexpr int kTurns = 5;  // so that a slow phase of the machine affects all alike
  for (int turn = 0; turn < kTurns; ++turn)
    for (std::size_t i = 0; i < configs.size(); ++i)
      for (int k = runs[i] * turn / kTurns; k < runs[i] * (turn + 1) / kTurns; ++k)
        times[i].push_back(run(i).us);
  for (std::size_t i = 0; i < configs.size(); ++i) {
    measured[i].wrong = control.sum(measured[i].wrong);
    measured[i].time_us = summarize(std::move(times[i]));
  }
  return measured;
}

}  // namespace

std::vector<Measurement> measure(collectives::Executor& executor, std::span<const Config> configs,
                                 const MeasureOptions& options) {
  return collectives::naming([&] { return measure_all(executor, configs, options); },
                             [&] {
                               const Problem& p = configs.front().problem;
                               return "measuring " + std::string(name(p.collective)) + " of " +
                                      show_count(p.elements) + " elements on " +
                                      show_plural(p.ranks, "rank");
                             });
}

}  // namespace arlab::bench
