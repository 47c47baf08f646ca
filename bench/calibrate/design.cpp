#include "bench/calibrate/design.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "algorithms/base/error.hpp"
#include "algorithms/base/random.hpp"
#include "bench/calibrate/exchanger.hpp"
#include "bench/calibrate/median_error.hpp"
#include "bench/calibrate/patterns.hpp"
#include "bench/calibrate/spread.hpp"

namespace arlab::bench {
namespace {

using simulator::Machine;

constexpr Pattern kOnOneMachine[] = {Pattern::round_trip, Pattern::exchange, Pattern::sum_back,
                                     Pattern::exchange_sum, Pattern::exchange_part};

// Repetitions of a series of messages that take that long.
double repetitions(double us, double seconds) {
  return std::max(static_cast<double>(Exchanger::kLeastRuns),
                  std::min(static_cast<double>(Exchanger::kMostRuns), 1e6 * seconds / us));
}

// The errors of a plan's times, and the times, as the machine has them.
class SimulatedProbes {
 public:
  SimulatedProbes(const Machine& machine, const ProbeTimes& pilot, const ProbeOptions& options)
      : machine_(machine), pilot_(pilot), options_(options) {
    ProbeTimes times = pilot;
    std::vector<double> errors;
    for (const TimeOfSize& t : times.one_way) errors.push_back(t.error);
    for (const LocalTimes& t : times.local)
      errors.insert(errors.end(), {t.exchange_error, t.sum_back_error, t.exchange_sum_error});
    // A pilot has the least number of runs of each time.
    constexpr double kLeastError = 0.002;
    run_error_ = std::sqrt(static_cast<double>(Exchanger::kLeastRuns)) *
                 std::max(kLeastError, median_of(errors));
  }

  ProbeTimes times(const ProbePlan& plan) const {
    ProbeTimes t = pilot_;
    t.one_way.clear(), t.local.clear(), t.exchanges.clear(), t.fan_out.clear(), t.fan_in.clear();
    t.spread_us = t.long_spread_us = 0;
    for (const Count bytes : plan.one_way) add(bytes, t);
    t.local_send = one_way(options_.largest);
    t.local_send.us = std::max(
        0.0, t.local_send.us - std::min(machine_.socket, t.local_send.bytes) * machine_.beta / 1e6);
    if (options_.several_hosts)
      for (const Count bytes : plan.pairs) {
        const TimeOfSize both = time_of(Pattern::exchange, bytes);
        t.exchanges.push_back({.bytes = both.bytes, .executor_us = both.us, .error = both.error});
      }
    return t;
  }

 private:
  TimeOfSize time_of(Pattern pattern, Count bytes) const {
    const double us = pattern_us(pattern, bytes, machine_);
    return {static_cast<double>(bytes), us,
            run_error_ / std::sqrt(repetitions(us, options_.seconds))};
  }
  TimeOfSize one_way(Count bytes) const {
    TimeOfSize one = time_of(Pattern::round_trip, bytes);
    one.us /= 2;
    return one;
  }
  void add(Count bytes, ProbeTimes& t) const {
    const TimeOfSize one = one_way(bytes);
    t.one_way.push_back(one);
    if (!machine_.shared) return;
    const TimeOfSize both = time_of(Pattern::exchange, bytes),
                     back = time_of(Pattern::sum_back, bytes),
                     sum = time_of(Pattern::exchange_sum, bytes),
                     part = time_of(Pattern::exchange_part, bytes);
    t.local.push_back({one.bytes, both.us, back.us, sum.us, part.us, both.error, back.error,
                       sum.error, part.error});
  }

  const Machine& machine_;
  const ProbeTimes& pilot_;
  const ProbeOptions& options_;
  double run_error_ = 0;
};

// How far calibrations by the plan are off, about the machine's own ratio: what is left out of the
// curves, and the errors of what is measured.
double expected_error(const ProbePlan& plan, const SimulatedProbes& probes, const Machine& machine,
                      const Question& question) {
  constexpr std::uint64_t kCalibrations = 8;
  const ProbeTimes exact = probes.times(plan);
  const double truth = std::log(question.ratio(machine));
  double squares = 0;
  for (std::uint64_t k = 0; k < kCalibrations; ++k) {
    const ProbeTimes times = with_other_errors(exact, Random(11).of(k));
    Machine found;
    try {
      found = fit(times, !machine.shared, &machine).machine;
    } catch (const Error&) {  // too few sizes for these errors
      return 10;
    }
    squares += std::pow(std::log(question.ratio(found)) - truth, 2);
  }
  return std::sqrt(squares / static_cast<double>(kCalibrations));
}

void insert_size(std::vector<Count>& sizes, Count bytes) {
  const auto at = std::lower_bound(sizes.begin(), sizes.end(), bytes);
  if (at == sizes.end() || *at != bytes) sizes.insert(at, bytes);
}

std::vector<Count> checks(const ProbePlan& whole, const Question& question) {
  constexpr std::size_t kFewest = 2;
  std::vector<Count> kept;
  for (const Count bytes : whole.pairs)
    if (bytes >= question.least && bytes <= question.most) kept.push_back(bytes);
  const double middle = std::sqrt(static_cast<double>(std::max<Count>(1, question.least)) *
                                  static_cast<double>(std::max<Count>(1, question.most)));
  std::vector<Count> nearest = whole.pairs;
  std::sort(nearest.begin(), nearest.end(), [&](Count a, Count b) {
    return std::abs(std::log(static_cast<double>(a) / middle)) <
           std::abs(std::log(static_cast<double>(b) / middle));
  });
  for (const Count bytes : nearest)
    if (kept.size() < kFewest) insert_size(kept, bytes);
  return kept;
}

}  // namespace

ProbePlan pilot_plan(const ProbeOptions& options) {
  constexpr Count kMiddle = 8192, kLong = 65536;
  return {{4, kMiddle, std::min(kLong, options.largest)}, {}};
}

double seconds_of(const ProbePlan& plan, const Machine& machine, Rank ranks,
                  const ProbeOptions& options) {
  constexpr double kWarmups = 2, kEager = 0.5, kTurns = 5, kStream = 0.25e6, kShortExchanges = 450;
  double us = 1e6 * kEager;
  const auto series = [&](Pattern pattern, Count bytes, double seconds) {
    const double once = pattern_us(pattern, bytes, machine) + 2 * machine.latency / 1e6;
    return once * (repetitions(once, seconds) + kWarmups);
  };
  for (const Count bytes : plan.one_way) {
    if (options.several_hosts)
      us += series(Pattern::round_trip, bytes, options.seconds);
    else
      for (const Pattern pattern : kOnOneMachine)
        us += kTurns * series(pattern, bytes, options.seconds / kTurns);
  }
  // Whatever the plan: sends until they end, streams of long messages, and many short exchanges.
  us += series(Pattern::round_trip, options.largest, options.seconds) / 2 +
        kShortExchanges * (pattern_us(Pattern::exchange, 4, machine) + 2 * machine.latency / 1e6);
  if (ranks > 2)
    us += std::max(kStream, 3 * pattern_us(Pattern::round_trip, options.largest, machine) / 2);
  for (const Count bytes : plan.pairs) {
    us += 4 * series(Pattern::exchange, bytes, options.seconds);
    if (ranks > 2)
      us += series(Pattern::fan_out, bytes, options.seconds) +
            series(Pattern::fan_in, bytes, options.seconds);
  }
  return us / 1e6;
}

Design design_for(const Question& question, const ProbeTimes& pilot, const ProbeOptions& options) {
  constexpr double kAsGood = 1.05;
  ProbeTimes calm = pilot;
  calm.spread_us = calm.long_spread_us = 0;
  const Machine machine = fit(calm, options.several_hosts).machine;
  const SimulatedProbes probes(machine, calm, options);
  Design d{.plan = pilot_plan(options), .whole = whole_plan(options, pilot)};
  if (machine.shared) {  // whose exchanges are measured with each size
    d.whole.pairs.clear();
    for (const Count bytes : checks(whole_plan(options, pilot), question))
      insert_size(d.plan.one_way, bytes);
  } else {
    d.plan.pairs = checks(d.whole, question);
  }
  const auto error_of = [&](const ProbePlan& plan) {
    return expected_error(plan, probes, machine, question);
  };
  const auto cost_of = [&](const ProbePlan& plan) {
    return seconds_of(plan, machine, pilot.ranks, options);
  };
  d.whole_error = error_of(d.whole);
  d.whole_seconds = cost_of(d.whole);
  d.error = error_of(d.plan);
  d.seconds = cost_of(d.plan);
  while (d.error > kAsGood * d.whole_error) {
    double most = 0;
    Design better;
    for (const Count bytes : d.whole.one_way) {
      if (bytes > 2 * question.most) break;  // which takes long, and says little
      Design tried = d;
      insert_size(tried.plan.one_way, bytes);
      if (tried.plan == d.plan) continue;
      tried.error = error_of(tried.plan);
      tried.seconds = cost_of(tried.plan);
      const double gain = (d.error * d.error - tried.error * tried.error) /
                          std::max(1e-6, tried.seconds - d.seconds);
      if (gain <= most) continue;
      most = gain;
      better = tried;
    }
    if (most <= 0) break;  // no single size narrows it
    d = better;
  }
  return d;
}

std::string text_of(const ProbePlan& plan) {
  return fmt::format("{};{}", fmt::join(plan.one_way, ","), fmt::join(plan.pairs, ","));
}

ProbePlan plan_of(const std::string& text) {
  ProbePlan plan;
  std::vector<Count>* list = &plan.one_way;
  std::istringstream in(text);
  for (Count bytes = 0; in >> bytes;) {
    list->push_back(bytes);
    if (in.get() == ';') list = &plan.pairs;
  }
  return plan;
}

}  // namespace arlab::bench
