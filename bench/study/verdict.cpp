#include "bench/study/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "algorithms/base/error.hpp"

namespace arlab::bench {
namespace {

constexpr double kPoint = 0.01;       // of accuracy
constexpr double kNoticeable = 0.01;  // of a step
constexpr double kLeastTime = 1e-9;   // of a step: to have a logarithm of
constexpr double kRounding = 1e-9;    // 0.97 - 0.96 is a little more than 0.01

using Group = std::vector<std::size_t>;  // places of trials

// Studies as they come in the list, each from the slowest network to the fastest.
std::vector<Group> groups_of(std::span<const Trial> trials) {
  std::vector<Group> groups;
  std::vector<std::size_t> first(trials.size());  // of the same study
  for (std::size_t i = 0; i < trials.size(); ++i) {
    while (!same_study(trials[first[i]], trials[i])) ++first[i];
    const auto same = [&](const Group& g) {
      return first[g.front()] == first[i] && trials[g.front()].bandwidth == trials[i].bandwidth;
    };
    const auto found = std::find_if(groups.begin(), groups.end(), same);
    if (found == groups.end())
      groups.push_back({i});
    else
      found->push_back(i);
  }
  std::stable_sort(groups.begin(), groups.end(), [&](const Group& a, const Group& b) {
    return std::pair(first[a.front()], trials[a.front()].bandwidth) <
           std::pair(first[b.front()], trials[b.front()].bandwidth);
  });
  return groups;
}

// Sorts a group, and finds its yardstick: then it is the first.
std::optional<std::size_t> yardstick_of(std::span<const Trial> trials, Group& group) {
  const auto key = [&](std::size_t i) {
    const Trial& t = trials[i];
    return std::tuple(t.diverged(), !t.dense(), t.seconds);
  };
  std::stable_sort(group.begin(), group.end(),
                   [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
  const Trial& first = trials[group.front()];
  if (!first.dense() || first.diverged()) return {};
  return group.front();
}

std::optional<double> gain_of(const Trial& trial, const Trial& yardstick) {
  if (!(yardstick.seconds > 0)) return {};
  return 1 - trial.seconds / yardstick.seconds;
}

std::optional<double> reached_by(const Trial& trial, double target) {
  for (const CurvePoint& p : trial.curve)
    if (p.accuracy >= target - kRounding) return p.seconds;
  return {};
}

Standing standing_of(const Trial& trial, const Trial& yardstick, const Judgement& j) {
  if (trial.diverged()) return Standing::diverged;
  if (trial.dense()) return &trial == &yardstick ? Standing::best_dense : Standing::dense;
  if (yardstick.accuracy - trial.accuracy > kPoint + kRounding) return Standing::inaccurate;
  if (!j.gain) return Standing::alone;
  if (*j.gain < -kNoticeable) return Standing::loses;
  if (*j.gain <= kNoticeable) return Standing::even;
  if (!j.target) return Standing::gains;
  const auto first = reached_by(yardstick, *j.target);
  const bool late = first && (!j.reached || *j.reached > *first * (1 + kNoticeable));
  return late ? Standing::late : Standing::gains;
}

struct Measured {
  double bandwidth;
  double times;  // logarithm of how many times faster than the yardstick
};

BreakEven by_bytes(const Trial& trial, const Trial& yardstick) {
  const double saved = yardstick.bytes - trial.bytes;
  if (!(saved > 0)) return {BreakEven::Kind::never};
  if (!(trial.codec > 0)) return {BreakEven::Kind::always};
  return {BreakEven::Kind::about, saved / trial.codec};
}

// `sweep`: by bandwidth. Above the last bandwidth where it gains, it loses; between the two, both
// times are taken for straight lines on logarithmic axes, as the charts draw them, and as the time
// of a message is where its bytes decide.
BreakEven by_sweep(const std::vector<Measured>& sweep) {
  const auto last =
      std::find_if(sweep.rbegin(), sweep.rend(), [](const Measured& m) { return m.times > 0; });
  if (last == sweep.rend()) return {BreakEven::Kind::below, sweep.front().bandwidth};
  if (last == sweep.rbegin()) return {BreakEven::Kind::above, sweep.back().bandwidth};
  const Measured a = *last, b = *std::prev(last);
  const double way = a.times / (a.times - b.times);
  return {BreakEven::Kind::at, a.bandwidth * std::pow(b.bandwidth / a.bandwidth, way)};
}

BreakEven break_even_of(std::span<const Trial> trials, const Judgement& mine,
                        std::span<const Judgement> all) {
  const Trial& trial = trials[mine.trial];
  if (mine.standing == Standing::inaccurate || mine.standing == Standing::diverged)
    return {BreakEven::Kind::never};
  std::vector<Measured> sweep;
  for (const Judgement& j : all) {  // which are sorted by bandwidth
    const Trial& t = trials[j.trial];
    const bool same = same_study(t, trial) && t.compressor == trial.compressor &&
                      t.scheduler == trial.scheduler && t.aggregation == trial.aggregation;
    if (same && t.bandwidth > 0 && j.gain && !t.diverged())
      sweep.push_back({t.bandwidth, -std::log(std::max(1 - *j.gain, kLeastTime))});
  }
  const bool swept = !sweep.empty() && sweep.front().bandwidth < sweep.back().bandwidth;
  return swept ? by_sweep(sweep) : by_bytes(trial, trials[*mine.yardstick]);
}

Judgement judge_one(std::span<const Trial> trials, std::size_t i,
                    std::optional<std::size_t> yardstick, std::optional<double> target) {
  const Trial& trial = trials[i];
  Judgement j;
  j.trial = i;
  j.yardstick = yardstick;
  if (!target && yardstick) target = trials[*yardstick].accuracy - kPoint;
  if (target && !trial.curve.empty() && !trial.diverged()) {
    j.target = target;
    j.reached = reached_by(trial, *target);
  }
  if (!yardstick) {
    j.standing = trial.diverged() ? Standing::diverged : Standing::alone;
    return j;
  }
  j.gain = gain_of(trial, trials[*yardstick]);
  j.standing = standing_of(trial, trials[*yardstick], j);
  return j;
}

}  // namespace

bool same_study(const Trial& a, const Trial& b) {
  const auto key = [](const Trial& t) {
    return std::tie(t.model, t.workers, t.strategy, t.latency);
  };
  return key(a) == key(b);
}

std::string Trial::link() const {
  const bool is_time = !latency.empty() && latency[0] >= '0' && latency[0] <= '9';
  return is_time ? "latency " + latency : latency;
}

bool Trial::diverged() const { return !std::isfinite(loss) || !std::isfinite(accuracy); }

std::vector<Judgement> judge(std::span<const Trial> trials, std::optional<double> target) {
  if (target && !(*target >= 0 && *target <= 1))
    fail(Blame::usage, fmt::format("an accuracy of {} cannot be reached: give 0 to 1", *target));
  for (const Trial& t : trials)
    expects(std::isfinite(t.bandwidth + t.seconds + t.exposed + t.codec + t.bytes),
            "a trial's times and bytes are numbers");
  std::vector<Judgement> all;
  for (Group& group : groups_of(trials)) {
    const auto yardstick = yardstick_of(trials, group);
    for (const std::size_t i : group) all.push_back(judge_one(trials, i, yardstick, target));
  }
  for (Judgement& j : all)
    if (j.yardstick && !trials[j.trial].dense()) j.break_even = break_even_of(trials, j, all);
  return all;
}

}  // namespace arlab::bench
