#include "bench/measure/measure.hpp"

#include <algorithm>
#include <chrono>

namespace arlab::bench {
namespace {

using Steady = std::chrono::steady_clock;

double microseconds_since(Steady::time_point start) {
  return std::chrono::duration<double, std::micro>(Steady::now() - start).count();
}

}  // namespace

std::vector<Measurement> measure(BenchmarkTarget& subject, std::span<const Config> configs,
                                 const MeasureOptions& options) {
  std::vector<Measurement> measured(configs.size());
  if (configs.empty()) return measured;
  subject.prepare(configs.front().problem, configs.front().operand);
  std::vector<int> runs(configs.size());
  std::vector<std::vector<double>> times(configs.size());
  const auto run = [&](std::size_t i) {
    const BenchmarkTarget::Run result = subject.run(configs[i]);
    measured[i].wrong += result.wrong;
    return result;
  };
  for (std::size_t i = 0; i < configs.size(); ++i) {
    const BenchmarkTarget::Run first =
        run(i);  // warms caches and connections up; its time is not kept
    measured[i].sent = {subject.sum(first.sent.messages), subject.sum(first.sent.elements),
                        static_cast<Count>(subject.max(static_cast<double>(first.sent.rounds)))};
    measured[i].traffic = first.traffic;
    const Steady::time_point start = Steady::now();
    run(i);
    // The same on all ranks, so all agree on `runs`.
    const double us = subject.max(microseconds_since(start));
    runs[i] = std::clamp(static_cast<int>(std::min(options.seconds * 1e6 / us, 1e9)), options.least,
                         options.most);
  }
  constexpr int kTurns = 5;  // so that a slow spell of the machine hits all alike
  for (int turn = 0; turn < kTurns; ++turn)
    for (std::size_t i = 0; i < configs.size(); ++i)
      for (int k = runs[i] * turn / kTurns; k < runs[i] * (turn + 1) / kTurns; ++k)
        times[i].push_back(run(i).us);
  for (std::size_t i = 0; i < configs.size(); ++i) {
    measured[i].wrong = subject.sum(measured[i].wrong);
    measured[i].time_us = summarize(std::move(times[i]));
  }
  return measured;
}

}  // namespace arlab::bench
