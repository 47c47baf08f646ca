#include "bench/measure/measure.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

#include "algorithms/base/error.hpp"
#include "algorithms/base/random.hpp"
#include "algorithms/base/stop.hpp"
#include "algorithms/groups.hpp"
#include "bench/text/units.hpp"
#include "collectives/host/checked_runner.hpp"
#include "collectives/host/clock_sync.hpp"
#include "collectives/patience.hpp"

namespace arlab::bench {
namespace {

using Steady = std::chrono::steady_clock;

double microseconds_since(Steady::time_point start) {
  return std::chrono::duration<double, std::micro>(Steady::now() - start).count();
}

// All executors of a run have one each, and take the same decisions.
class Measuring {
 public:
  Measuring(collectives::Executor& executor, std::span<const Config> configs,
            const MeasureOptions& options)
      : executor_(executor),
        runner_(executor),
        control_(executor.control()),
        configs_(configs),
        options_(options),
        measured_(configs.size()),
        intervals_(configs.size()),
        runs_(configs.size()),
        once_us_(configs.size()),
        spent_us_(configs.size()) {}

  Measurements all() {
    prepare();
    for (std::size_t i = 0; i < configs_.size(); ++i) {
      stop_together();
      calibrate(i);
    }
    if (options_.precision > 0)
      run_until_precise();
    else
      take_turns();
    Measurements result;
    result.synchronized_clocks = synchronized_;
    if (synchronized_) result.clock_deviation_us = 1e6 * clock_deviation(control_, clock_);
    for (std::size_t i = 0; i < configs_.size(); ++i) finish(i);
    result.of = std::move(measured_);
    return result;
  }

 private:
  void prepare() {
    const bool together = executor_.ranks_here() > 1;
    if (together && (options_.late_rank >= 0 || options_.at_agreed_time))
      fail(Blame::usage,
           "ranks that one process starts together cannot enter late, or at an agreed time: use a "
           "backend that has a thread or a process per rank");
    runner_.load_input(configs_.front().problem, configs_.front().operand);
    if (together) return;
    synchronized_ = Groups(control_.machines()).count() > 1;
    if (synchronized_) clock_ = synchronize_clocks(control_);
    if (options_.at_agreed_time) lead_ = first_lead();
  }

  // Several times as long as all ranks need to agree on the start.
  double first_lead() {
    constexpr int kTries = 10;
    const Steady::time_point start = Steady::now();
    for (int k = 0; k < kTries; ++k) control_.max(0);
    const double us = control_.max(microseconds_since(start)) / kTries;
    return std::clamp(5e-6 * us, 20e-6, kLongestLead);
  }

  collectives::CheckedRun run(std::size_t i) {
    const Config& config = configs_[i];
    collectives::RunRequest request{.algorithm = config.algorithm,
                                    .segments = config.segments,
                                    .mode = config.mode,
                                    .native = config.native,
                                    .clock = clock_};
    if (options_.late_rank == control_.rank()) request.delay = options_.late_seconds;
    for (int tries = 0; tries < kMostTries; ++tries) {
      request.lead = lead_;
      const auto result = runner_.run(request);
      measured_[i].wrong += result.wrong;
      if (std::isfinite(result.us)) return result;
      ++measured_[i].late_starts;
      lead_ = std::min(1.5 * lead_, kLongestLead);
    }
    fail(Blame::environment,
         "ranks have missed the agreed start " + std::to_string(kMostTries) +
             " times in a row: start them by a barrier, or use fewer ranks per core");
  }

  // Decides on the number of runs, the same on all ranks.
  void calibrate(std::size_t i) {
    // They warm up caches and connections; their times are not kept.
    for (int k = 0; k < options_.warm_ups; ++k) run(i);
    const Steady::time_point start = Steady::now();
    const auto result = run(i);
    const double us = control_.max(microseconds_since(start));
    Measurement& m = measured_[i];
    m.sent = {control_.sum(result.sent.messages), control_.sum(result.sent.elements),
              static_cast<Count>(control_.max(static_cast<double>(result.sent.rounds)))};
    m.traffic = static_cast<double>(control_.sum(static_cast<Count>(result.traffic)));
    once_us_[i] = spent_us_[i] = us;
    runs_[i] = std::clamp(static_cast<int>(std::min(options_.seconds * 1e6 / us, 1e9)),
                          options_.limited ? 1 : options_.min_runs, options_.max_runs);
    if (is_over(i)) keep(i, result);
  }

  void keep(std::size_t i, const collectives::CheckedRun& result) {
    measured_[i].samples_us.push_back(result.us);
    if (result.interval) intervals_[i].push_back(*result.interval);
  }

  // Whether no further run of the configuration may begin. The same on all ranks.
  bool is_over(std::size_t i) const {
    return options_.limited && spent_us_[i] >= 1e6 * options_.seconds;
  }

  // A rank that alone stopped would leave the others waiting.
  void stop_together() {
    if (options_.stoppable && control_.max(stop_is_asked.load() ? 1 : 0) > 0) throw Stopped();
  }

  void time(std::size_t i, int runs) {
    constexpr double kBlock = 10'000;  // microseconds: ranks seldom need to agree on the time spent
    const int block = std::max(1, static_cast<int>(kBlock / std::max(once_us_[i], 1.0)));
    for (int done = 0; done < runs && !is_over(i);) {
      stop_together();
      const Steady::time_point start = Steady::now();
      const int until = std::min(runs, done + block);
      for (; done < until; ++done) keep(i, run(i));
      if (options_.limited) spent_us_[i] += control_.max(microseconds_since(start));
    }
  }

  std::vector<std::size_t> order(int turn) const {
    std::vector<std::size_t> all(configs_.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    if (options_.seed) shuffle(all, Random(*options_.seed).of(static_cast<std::uint64_t>(turn)));
    return all;
  }

  // In turns, so that a slow phase of the machine affects all alike.
  void take_turns() {
    constexpr int kTurns = 5;
    for (int turn = 0; turn < kTurns; ++turn)
      for (const std::size_t i : order(turn))
        time(i, runs_[i] * (turn + 1) / kTurns - runs_[i] * turn / kTurns);
  }

  // The number of runs that fit into the time is the most.
  void run_until_precise() {
    constexpr int kTurns = 20, kFewest = 6;  // an interval needs six
    bool busy = true;
    for (int turn = 0; busy; ++turn) {
      busy = false;
      for (const std::size_t i : order(turn)) {
        const int done = static_cast<int>(measured_[i].samples_us.size());
        if (is_precise(measured_[i].samples_us) || done >= std::max(runs_[i], kFewest) ||
            is_over(i))
          continue;
        time(i, std::max(runs_[i] / kTurns, kFewest));
        busy = true;
      }
    }
  }
  bool is_precise(const std::vector<double>& samples) const {
    if (samples.empty()) return false;
    const Summary s = summarize(samples);
    return coverage(s.samples) >= 0.95 &&
           std::max(s.high - s.median, s.median - s.low) <= options_.precision * s.median;
  }

  void finish(std::size_t i) {
    Measurement& m = measured_[i];
    m.wrong = control_.sum(m.wrong);
    m.time_us = summarize(m.samples_us);
    if (!configs_[i].algorithm) m.native_choice = runner_.choice(configs_[i].native);
    if (intervals_[i].empty()) return;
    m.intervals = gather_intervals(control_, intervals_[i]);
    if (control_.rank() == 0)
      m.late_entry = split_late_entry(m.intervals, configs_[i].mode.repeats);
  }

  static constexpr int kMostTries = 50;
  static constexpr double kLongestLead = 0.1;

  collectives::Executor& executor_;
  collectives::CheckedRunner runner_;
  collectives::Communicator& control_;
  std::span<const Config> configs_;
  const MeasureOptions& options_;
  std::vector<Measurement> measured_;
  std::vector<Intervals> intervals_;  // of this rank, by configuration
  std::vector<int> runs_;
  std::vector<double> once_us_, spent_us_;  // by configuration, wall time: of a run, of all so far
  collectives::ClockModel clock_;
  bool synchronized_ = false;
  double lead_ = 0;
};

}  // namespace

Measurements measure_all(collectives::Executor& executor, std::span<const Config> configs,
                         const MeasureOptions& options) {
  if (configs.empty()) return {};
  return collectives::naming([&] { return Measuring(executor, configs, options).all(); },
                             [&] {
                               const Problem& p = configs.front().problem;
                               return "measuring " + std::string(name(p.collective)) + " of " +
                                      with_commas(p.elements) + " elements on " +
                                      show_plural(p.ranks, "rank");
                             });
}

std::vector<Measurement> measure(collectives::Executor& executor, std::span<const Config> configs,
                                 const MeasureOptions& options) {
  return measure_all(executor, configs, options).of;
}

}  // namespace arlab::bench
