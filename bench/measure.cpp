#include "bench/measure.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>

#include "collectives/execute.hpp"
#include "collectives/pattern.hpp"

namespace arlab {
namespace {

using Clock = std::chrono::steady_clock;

double microseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

class Bench {
 public:
  Bench(Communicator& communicator, const Config& config)
      : communicator_(communicator),
        problem_(config.problem),
        operand_(config.operand),
        input_(static_cast<std::size_t>(problem_.elements) * size_of(operand_.dtype)),
        data_(input_.size()) {
    fill(input_, operand_, problem_, communicator.rank());
  }

  /// One checked run; returns the slowest rank's time in microseconds.
  double run(const Config& config, Measurement& m) {
    if (!input_.empty()) std::memcpy(data_.data(), input_.data(), input_.size());
    communicator_.barrier();
    const Clock::time_point start = Clock::now();
    if (config.algorithm)
      own_ = execute(communicator_, *config.algorithm, problem_, data_, operand_, config.segments);
    else
      communicator_.native_allreduce(data_.data(), problem_.elements, operand_);
    const double us = microseconds_since(start);
    m.wrong += wrong_elements(data_, operand_, problem_, communicator_.rank());
    return communicator_.max(us);
  }

  /// What all ranks sent in the last run of an algorithm.
  Cost sent() {
    const Cost own = std::exchange(own_, {});
    return {communicator_.sum(own.messages), communicator_.sum(own.elements),
            static_cast<Count>(communicator_.max(static_cast<double>(own.rounds)))};
  }

 private:
  Communicator& communicator_;
  Problem problem_;
  Operand operand_;
  std::vector<std::byte> input_, data_;
  Cost own_;
};

}  // namespace

std::vector<Measurement> measure(Communicator& communicator, std::span<const Config> configs,
                                 const MeasureOptions& options) {
  std::vector<Measurement> measured(configs.size());
  if (configs.empty()) return measured;
  Bench bench(communicator, configs.front());
  std::vector<int> runs(configs.size());
  std::vector<std::vector<double>> times(configs.size());
  for (std::size_t i = 0; i < configs.size(); ++i) {
    bench.run(configs[i], measured[i]);  // warms caches and connections up; its time is not kept
    measured[i].sent = bench.sent();
    const Clock::time_point start = Clock::now();
    bench.run(configs[i], measured[i]);
    const double us = communicator.max(
        microseconds_since(start));  // the same on all ranks, so all agree on `runs`
    runs[i] = std::clamp(static_cast<int>(std::min(options.seconds * 1e6 / us, 1e9)), options.least,
                         options.most);
  }
  constexpr int kTurns = 5;  // so that a slow spell of the machine hits all alike
  for (int turn = 0; turn < kTurns; ++turn)
    for (std::size_t i = 0; i < configs.size(); ++i)
      for (int k = runs[i] * turn / kTurns; k < runs[i] * (turn + 1) / kTurns; ++k)
        times[i].push_back(bench.run(configs[i], measured[i]));
  for (std::size_t i = 0; i < configs.size(); ++i) {
    measured[i].wrong = communicator.sum(measured[i].wrong);
    measured[i].time_us = summarize(std::move(times[i]));
  }
  return measured;
}

}  // namespace arlab
