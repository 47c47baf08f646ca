#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "algorithms/base/error.hpp"
#include "bench/study/compression_study.hpp"

namespace arlab::bench {
namespace {

constexpr double kPoint = 0.01;       // of accuracy
constexpr double kNoticeable = 0.01;  // of a step
constexpr double kMinTime = 1e-9;     // of a step: its logarithm is finite
constexpr double kRounding = 1e-9;    // 0.97 - 0.96 is a little more than 0.01

using Group = std::vector<std::size_t>;  // indices of runs

// By study, in the order of the list; within a study, from the slowest network to the fastest.
std::vector<Group> groups_of(std::span<const RunSummary> runs) {
  std::vector<Group> groups;
  std::vector<std::size_t> first(runs.size());  // of the same study
  for (std::size_t i = 0; i < runs.size(); ++i) {
    while (!same_study(runs[first[i]], runs[i])) ++first[i];
    const auto same = [&](const Group& g) {
      return first[g.front()] == first[i] && runs[g.front()].bandwidth == runs[i].bandwidth;
    };
    const auto found = std::find_if(groups.begin(), groups.end(), same);
    if (found == groups.end())
      groups.push_back({i});
    else
      found->push_back(i);
  }
  std::stable_sort(groups.begin(), groups.end(), [&](const Group& a, const Group& b) {
    return std::pair(first[a.front()], runs[a.front()].bandwidth) <
           std::pair(first[b.front()], runs[b.front()].bandwidth);
  });
  return groups;
}

// Sorts a group. Returns its first run if that is a baseline.
std::optional<std::size_t> baseline_of(std::span<const RunSummary> runs, Group& group) {
  const auto key = [&](std::size_t i) {
    const RunSummary& r = runs[i];
    return std::tuple(r.diverged(), !r.dense(), r.seconds);
  };
  std::stable_sort(group.begin(), group.end(),
                   [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
  const RunSummary& first = runs[group.front()];
  if (!first.dense() || first.diverged()) return {};
  return group.front();
}

std::optional<double> gain_of(const RunSummary& run, const RunSummary& baseline) {
  if (!(baseline.seconds > 0)) return {};
  return 1 - run.seconds / baseline.seconds;
}

std::optional<double> reached_by(const RunSummary& run, double target) {
  for (const CurvePoint& p : run.curve)
    if (p.accuracy >= target - kRounding) return p.seconds;
  return {};
}

Comparison::Result result_of(const RunSummary& run, const RunSummary& baseline,
                             const Comparison& c) {
  if (run.diverged()) return Comparison::Result::diverged;
  if (run.dense())
    return &run == &baseline ? Comparison::Result::best_dense : Comparison::Result::dense;
  if (baseline.accuracy - run.accuracy > kPoint + kRounding) return Comparison::Result::inaccurate;
  if (!c.gain) return Comparison::Result::alone;
  if (*c.gain < -kNoticeable) return Comparison::Result::loses;
  if (*c.gain <= kNoticeable) return Comparison::Result::even;
  if (!c.target) return Comparison::Result::gains;
  const auto first = reached_by(baseline, *c.target);
  const bool late = first && (!c.reached || *c.reached > *first * (1 + kNoticeable));
  return late ? Comparison::Result::late : Comparison::Result::gains;
}

struct Measured {
  double bandwidth;
  double times;  // logarithm of the speed-up over the baseline
};

BreakEven by_bytes(const RunSummary& run, const RunSummary& baseline) {
  const double saved = baseline.bytes - run.bytes;
  if (!(saved > 0)) return {BreakEven::Kind::never};
  if (!(run.codec > 0)) return {BreakEven::Kind::always};
  return {BreakEven::Kind::about, saved / run.codec};
}

// `sweep`: by bandwidth. The break-even lies above the last bandwidth with a gain. Between that one
// and the next, both times are straight lines on logarithmic axes: so the charts draw them, and so
// does the time of a large message depend on the bandwidth.
BreakEven by_sweep(const std::vector<Measured>& sweep) {
  const auto last =
      std::find_if(sweep.rbegin(), sweep.rend(), [](const Measured& m) { return m.times > 0; });
  if (last == sweep.rend()) return {BreakEven::Kind::below, sweep.front().bandwidth};
  if (last == sweep.rbegin()) return {BreakEven::Kind::above, sweep.back().bandwidth};
  const Measured a = *last, b = *std::prev(last);
  const double part = a.times / (a.times - b.times);
  return {BreakEven::Kind::at, a.bandwidth * std::pow(b.bandwidth / a.bandwidth, part)};
}

BreakEven break_even_of(std::span<const RunSummary> runs, const Comparison& mine,
                        std::span<const Comparison> all) {
  const RunSummary& run = runs[mine.run];
  if (mine.result == Comparison::Result::inaccurate || mine.result == Comparison::Result::diverged)
    return {BreakEven::Kind::never};
  std::vector<Measured> sweep;
  for (const Comparison& c : all) {  // sorted by bandwidth
    const RunSummary& r = runs[c.run];
    const bool same = same_study(r, run) && r.compressor == run.compressor &&
                      r.scheduler == run.scheduler && r.aggregation == run.aggregation;
    if (same && r.bandwidth > 0 && c.gain && !r.diverged())
      sweep.push_back({r.bandwidth, -std::log(std::max(1 - *c.gain, kMinTime))});
  }
  const bool swept = !sweep.empty() && sweep.front().bandwidth < sweep.back().bandwidth;
  return swept ? by_sweep(sweep) : by_bytes(run, runs[*mine.baseline]);
}

Comparison compare_one(std::span<const RunSummary> runs, std::size_t i,
                       std::optional<std::size_t> baseline, std::optional<double> target) {
  const RunSummary& run = runs[i];
  Comparison c;
  c.run = i;
  c.baseline = baseline;
  if (!target && baseline) target = runs[*baseline].accuracy - kPoint;
  if (target && !run.curve.empty() && !run.diverged()) {
    c.target = target;
    c.reached = reached_by(run, *target);
  }
  if (!baseline) {
    c.result = run.diverged() ? Comparison::Result::diverged : Comparison::Result::alone;
    return c;
  }
  c.gain = gain_of(run, runs[*baseline]);
  c.result = result_of(run, runs[*baseline], c);
  return c;
}

}  // namespace

bool same_study(const RunSummary& a, const RunSummary& b) {
  const auto key = [](const RunSummary& r) {
    return std::tie(r.model, r.workers, r.strategy, r.latency);
  };
  return key(a) == key(b);
}

std::string RunSummary::link() const {
  const bool is_time = !latency.empty() && latency[0] >= '0' && latency[0] <= '9';
  return is_time ? "latency " + latency : latency;
}

bool RunSummary::diverged() const { return !std::isfinite(loss) || !std::isfinite(accuracy); }

std::vector<Comparison> compare(std::span<const RunSummary> runs, std::optional<double> target) {
  if (target && !(*target >= 0 && *target <= 1))
    fail(Blame::usage,
         fmt::format("an accuracy of {} cannot be reached: use a value from 0 to 1", *target));
  for (const RunSummary& r : runs)
    expects(std::isfinite(r.bandwidth + r.seconds + r.exposed + r.codec + r.bytes),
            "a run's times and bytes are numbers");
  std::vector<Comparison> all;
  for (Group& group : groups_of(runs)) {
    const auto baseline = baseline_of(runs, group);
    for (const std::size_t i : group) all.push_back(compare_one(runs, i, baseline, target));
  }
  for (Comparison& c : all)
    if (c.baseline && !runs[c.run].dense()) c.break_even = break_even_of(runs, c, all);
  return all;
}

}  // namespace arlab::bench
