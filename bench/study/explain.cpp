// The explanation of a study: per network, which compressor to use, how much it gains, and which
// ones do not pay and why.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "bench/study/compression_study.hpp"
#include "bench/text/units.hpp"

namespace arlab::bench {
namespace {

constexpr double kHidden = 0.05;  // of a step: less exposed communication needs no compressor

std::string time(double seconds) { return show_time(1e6 * seconds); }
std::string bytes(double count) { return show_bytes(std::llround(count)); }

std::string join(const std::string& list, const std::string& next, std::string_view by = ", ") {
  return list.empty() ? next : list + std::string(by) + next;
}

/// The runs of one network.
class Explanation {
 public:
  Explanation(std::span<const RunSummary> runs, std::span<const Comparison> group)
      : runs_(runs), group_(group) {
    if (group.front().baseline) baseline_ = &runs[*group.front().baseline];
    for (const Comparison& c : group)
      if (!run(c).dense()) keep_best(c);
  }

  std::string text() const {
    if (!baseline_) return no_baseline();
    if (best_.empty()) return dense_alone();
    const Comparison* const winner = first_gain();
    std::string text = winner ? recommend(*winner) : stay_dense();
    text += others(winner);
    const std::string bad = losers();
    return bad.empty() ? text : text + " Not worth it: " + bad + ".";
  }

 private:
  const RunSummary& run(const Comparison& c) const { return runs_[c.run]; }

  /// Smaller is better.
  auto key(const Comparison& c) const {
    constexpr double kNever = std::numeric_limits<double>::infinity();
    return std::tuple(
        c.result == Comparison::Result::diverged, c.result != Comparison::Result::gains,
        c.result == Comparison::Result::inaccurate, c.reached.value_or(kNever), run(c).seconds);
  }

  // Reports a compressor that ran under several schedules by its best run.
  void keep_best(const Comparison& c) {
    const auto same = std::find_if(best_.begin(), best_.end(), [&](const Comparison* b) {
      return run(*b).compressor == run(c).compressor;
    });
    if (same == best_.end())
      best_.push_back(&c);
    else if (key(c) < key(**same))
      *same = &c;
  }

  const Comparison* first_gain() const {
    const Comparison* first = nullptr;
    for (const Comparison* c : best_)
      if (c->result == Comparison::Result::gains && (!first || key(*c) < key(*first))) first = c;
    return first;
  }

  std::string no_baseline() const {
    for (const Comparison& c : group_)
      if (run(c).dense())
        return "the dense runs diverged, so nothing can be compared: use a smaller --lr.";
    return "there is no dense run to compare with: add none to --compressor.";
  }

  std::string dense_alone() const {
    return fmt::format(
        "no compressor was tried; {} is the fastest dense schedule, with {} per step, of which {} "
        "is "
        "exposed communication.",
        baseline_->scheduler, time(baseline_->seconds), time(baseline_->exposed));
  }

  std::string recommend(const Comparison& c) const {
    const RunSummary& r = run(c);
    std::string text = fmt::format(
        "use {} with {}: a step takes {} instead of {} ({} less), and the accuracy is "
        "{}, dense {}",
        r.compressor, r.scheduler, time(r.seconds), time(baseline_->seconds), show_percent(*c.gain),
        show_percent(r.accuracy), show_percent(baseline_->accuracy));
    const auto dense = reached_dense();
    if (c.target && c.reached)
      text += fmt::format("; it reaches {} in {}{}", show_percent(*c.target), time(*c.reached),
                          dense ? " instead of " + time(*dense) : ", which dense never does");
    text += '.';
    if (c.break_even && c.break_even->kind == BreakEven::Kind::at)
      text += fmt::format(" It gains up to about {}.", to_string(*c.break_even));
    return text;
  }

  std::string stay_dense() const {
    const std::string step = time(baseline_->seconds), waited = time(baseline_->exposed);
    std::string text = fmt::format("stay with dense gradients and {}: no compressor gains. ",
                                   baseline_->scheduler);
    if (baseline_->exposed <= 0)
      return text + fmt::format("A step of {} has no exposed communication.", step);
    if (exposed_fraction() <= kHidden)
      return text + fmt::format(
                        "There is little to gain: {} of a step of {} ({}) is exposed "
                        "communication.",
                        waited, step, show_percent(exposed_fraction()));
    return text +
           fmt::format("A step takes {}, of which {} is exposed communication.", step, waited);
  }

  std::string others(const Comparison* winner) const {
    std::string list;
    for (const Comparison* c : best_)
      if (c != winner && c->result == Comparison::Result::gains)
        list = join(list, fmt::format("{} ({} less)", run(*c).compressor, show_percent(*c->gain)));
    return list.empty() ? "" : fmt::format(" Also a gain: {}.", list);
  }

  std::optional<double> reached_dense() const {
    for (const Comparison& c : group_)
      if (c.result == Comparison::Result::best_dense) return c.reached;
    return {};
  }

  double exposed_fraction() const {
    return baseline_->seconds > 0 ? baseline_->exposed / baseline_->seconds : 0;
  }

  /// Returns the time on the link that smaller messages save; if the link is unknown, all exposed
  /// communication.
  double saved(const RunSummary& r) const {
    if (!(r.bandwidth > 0)) return baseline_->exposed;
    return (baseline_->bytes - r.bytes) / r.bandwidth;
  }

  /// Returns why the run does not pay, and its numbers.
  std::pair<std::string, std::string> reason(const Comparison& c) const {
    const RunSummary& r = run(c);
    if (c.result == Comparison::Result::diverged) return {"diverged", ""};
    if (c.result == Comparison::Result::inaccurate) {
      const std::string worse =
          fmt::format("{:.1f} points worse", 100 * (baseline_->accuracy - r.accuracy));
      return {c.gain.value_or(0) > 0 ? "fast but less accurate, which is not a gain"
                                     : "slower and less accurate",
              worse};
    }
    if (c.result == Comparison::Result::late)
      return {"shorter steps, but dense reaches the accuracy first",
              c.reached ? fmt::format("{} against {}", time(*c.reached), time(*reached_dense()))
                        : "never reaches it"};
    if (!c.gain) return {"not comparable, since no time was measured", ""};
    const std::string net = fmt::format("{:+.1f}%", 100 * *c.gain);
    if (r.bytes >= baseline_->bytes)
      return {"sends no fewer bytes than dense",
              bytes(r.bytes) + " against " + bytes(baseline_->bytes)};
    if (exposed_fraction() <= kHidden)
      return {"the exchange is hidden behind the backward pass anyway", net};
    if (r.codec > saved(r))
      return {"encoding and decoding take longer than the smaller messages save",
              time(r.codec) + " against " + time(saved(r))};
    if (c.result == Comparison::Result::even) return {"no difference", net};
    return {"a longer step anyway", net};
  }

  // Groups the compressors by reason.
  std::string losers() const {
    std::vector<std::pair<std::string, std::string>> reasons;
    for (const Comparison* c : best_) {
      if (c->result == Comparison::Result::gains) continue;
      const auto [why, numbers] = reason(*c);
      const std::string one = run(*c).compressor + (numbers.empty() ? "" : " (" + numbers + ")");
      const auto known = std::find_if(reasons.begin(), reasons.end(),
                                      [&w = why](const auto& r) { return r.first == w; });
      if (known == reasons.end())
        reasons.emplace_back(why, one);
      else
        known->second = join(known->second, one);
    }
    std::string text;
    for (const auto& [why, names] : reasons) text = join(text, names + ": " + why, "; ");
    return text;
  }

  std::span<const RunSummary> runs_;
  std::span<const Comparison> group_;
  const RunSummary* baseline_ = nullptr;
  std::vector<const Comparison*> best_;  // of each compressor
};

std::string network(const RunSummary& r) {
  return r.bandwidth > 0 ? "at " + show_bandwidth(r.bandwidth) : "on this network";
}

std::string study_text(const RunSummary& r) {
  return fmt::format("{}, {}, {}{}", r.model, show_plural(r.workers, "worker"), r.strategy,
                     r.latency.empty() ? "" : ", " + r.link());
}

}  // namespace

std::string explain(std::span<const RunSummary> runs, std::optional<double> target) {
  const std::vector<Comparison> all = compare(runs, target);
  std::string text;
  for (auto first = all.begin(); first != all.end();) {
    const RunSummary& r = runs[first->run];
    const auto last = std::find_if(first, all.end(), [&](const Comparison& c) {
      return !same_study(runs[c.run], r) || runs[c.run].bandwidth != r.bandwidth;
    });
    if (first == all.begin() || !same_study(runs[std::prev(first)->run], r))
      text += (text.empty() ? "" : "\n") + study_text(r) + "\n";
    text += fmt::format("- {}: {}\n", network(r), Explanation(runs, {first, last}).text());
    first = last;
  }
  return text;
}

}  // namespace arlab::bench
