// The words of a verdict: on each network what to use, how much it gains, what does not pay and
// why.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "bench/cli/units.hpp"
#include "bench/study/verdict.hpp"

namespace arlab::bench {
namespace {

constexpr double kHidden = 0.05;  // of a step: what waiting is not worth a compressor

std::string time(double seconds) { return show_time(1e6 * seconds); }
std::string percent(double part) { return fmt::format("{:.1f}%", 100 * part); }
std::string bytes(double count) { return show_bytes(std::llround(count)); }

std::string join(const std::string& list, const std::string& next, std::string_view by = ", ") {
  return list.empty() ? next : list + std::string(by) + next;
}

/// The runs of one network.
class Story {
 public:
  Story(std::span<const Trial> trials, std::span<const Judgement> group)
      : trials_(trials), group_(group) {
    if (group.front().yardstick) yardstick_ = &trials[*group.front().yardstick];
    for (const Judgement& j : group)
      if (!trial(j).dense()) keep_best(j);
  }

  std::string told() const {
    if (!yardstick_) return no_yardstick();
    if (best_.empty()) return dense_alone();
    const Judgement* const winner = first_gain();
    std::string text = winner ? use(*winner) : stay();
    text += others(winner);
    const std::string bad = losers();
    return bad.empty() ? text : text + " Not worth it: " + bad + ".";
  }

 private:
  const Trial& trial(const Judgement& j) const { return trials_[j.trial]; }

  /// The smaller, the better.
  auto key(const Judgement& j) const {
    constexpr double kNever = std::numeric_limits<double>::infinity();
    return std::tuple(j.standing == Standing::diverged, j.standing != Standing::gains,
                      j.standing == Standing::inaccurate, j.reached.value_or(kNever),
                      trial(j).seconds);
  }

  // A compressor that ran under several schedules is told of by its best.
  void keep_best(const Judgement& j) {
    const auto same = std::find_if(best_.begin(), best_.end(), [&](const Judgement* b) {
      return trial(*b).compressor == trial(j).compressor;
    });
    if (same == best_.end())
      best_.push_back(&j);
    else if (key(j) < key(**same))
      *same = &j;
  }

  const Judgement* first_gain() const {
    const Judgement* first = nullptr;
    for (const Judgement* j : best_)
      if (j->standing == Standing::gains && (!first || key(*j) < key(*first))) first = j;
    return first;
  }

  std::string no_yardstick() const {
    for (const Judgement& j : group_)
      if (trial(j).dense())
        return "the dense runs diverged, so nothing can be compared: use a smaller --lr.";
    return "there is no dense run to compare with: add none to --compressor.";
  }

  std::string dense_alone() const {
    return fmt::format(
        "no compressor was tried; of the dense schedules {} is the fastest, {} a "
        "step, of which {} is waited for.",
        yardstick_->scheduler, time(yardstick_->seconds), time(yardstick_->exposed));
  }

  std::string use(const Judgement& j) const {
    const Trial& t = trial(j);
    std::string text = fmt::format(
        "use {} with {}: a step takes {} instead of {} ({} less), and the accuracy is "
        "{}, dense {}",
        t.compressor, t.scheduler, time(t.seconds), time(yardstick_->seconds), percent(*j.gain),
        percent(t.accuracy), percent(yardstick_->accuracy));
    const auto dense = reached_dense();
    if (j.target && j.reached)
      text += fmt::format("; it reaches {} in {}{}", percent(*j.target), time(*j.reached),
                          dense ? " instead of " + time(*dense) : ", which dense never does");
    text += '.';
    if (j.break_even && j.break_even->kind == BreakEven::Kind::at)
      text += fmt::format(" It gains up to about {}.", text_of(*j.break_even));
    return text;
  }

  std::string stay() const {
    const std::string step = time(yardstick_->seconds), waited = time(yardstick_->exposed);
    std::string text = fmt::format("stay with dense gradients and {}: no compressor gains. ",
                                   yardstick_->scheduler);
    if (yardstick_->exposed <= 0)
      return text + fmt::format("Nothing of a step of {} is waiting for the network.", step);
    if (exposed_share() <= kHidden)
      return text + fmt::format(
                        "There is little to gain: {} of a step of {} ({}) is waiting for "
                        "the network.",
                        waited, step, percent(exposed_share()));
    return text + fmt::format("A step takes {}, of which {} is waited for.", step, waited);
  }

  std::string others(const Judgement* winner) const {
    std::string list;
    for (const Judgement* j : best_)
      if (j != winner && j->standing == Standing::gains)
        list = join(list, fmt::format("{} ({} less)", trial(*j).compressor, percent(*j->gain)));
    return list.empty() ? "" : fmt::format(" Also a gain: {}.", list);
  }

  std::optional<double> reached_dense() const {
    for (const Judgement& j : group_)
      if (j.standing == Standing::best_dense) return j.reached;
    return {};
  }

  double exposed_share() const {
    return yardstick_->seconds > 0 ? yardstick_->exposed / yardstick_->seconds : 0;
  }

  /// Time on the link that its smaller messages save; where the link is not known, all the waiting.
  double saved(const Trial& t) const {
    if (!(t.bandwidth > 0)) return yardstick_->exposed;
    return (yardstick_->bytes - t.bytes) / t.bandwidth;
  }

  /// Why it does not pay, and the numbers of this one.
  std::pair<std::string, std::string> reason(const Judgement& j) const {
    const Trial& t = trial(j);
    if (j.standing == Standing::diverged) return {"diverged", ""};
    if (j.standing == Standing::inaccurate) {
      const std::string worse =
          fmt::format("{:.1f} points worse", 100 * (yardstick_->accuracy - t.accuracy));
      return {j.gain.value_or(0) > 0 ? "fast but less accurate, which is not a gain"
                                     : "slower and less accurate",
              worse};
    }
    if (j.standing == Standing::late)
      return {"shorter steps, but dense reaches the accuracy first",
              j.reached ? fmt::format("{} against {}", time(*j.reached), time(*reached_dense()))
                        : "never reaches it"};
    if (!j.gain) return {"not comparable, since no time was taken", ""};
    const std::string net = fmt::format("{:+.1f}%", 100 * *j.gain);
    if (t.bytes >= yardstick_->bytes)
      return {"sends no fewer bytes than dense",
              bytes(t.bytes) + " against " + bytes(yardstick_->bytes)};
    if (exposed_share() <= kHidden)
      return {"the exchange is hidden behind the backward pass anyway", net};
    if (t.codec > saved(t))
      return {"encoding and decoding take longer than the smaller messages save",
              time(t.codec) + " against " + time(saved(t))};
    if (j.standing == Standing::even) return {"no difference", net};
    return {"a longer step all the same", net};
  }

  // Those with the same reason stand together.
  std::string losers() const {
    std::vector<std::pair<std::string, std::string>> reasons;
    for (const Judgement* j : best_) {
      if (j->standing == Standing::gains) continue;
      const auto [why, numbers] = reason(*j);
      const std::string one = trial(*j).compressor + (numbers.empty() ? "" : " (" + numbers + ")");
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

  std::span<const Trial> trials_;
  std::span<const Judgement> group_;
  const Trial* yardstick_ = nullptr;
  std::vector<const Judgement*> best_;  // of each compressor
};

std::string network(const Trial& t) {
  return t.bandwidth > 0 ? "at " + show_bandwidth(t.bandwidth) : "on this network";
}

std::string study_text(const Trial& t) {
  return fmt::format("{}, {}, {}{}", t.model, show_plural(t.workers, "worker"), t.strategy,
                     t.latency.empty() ? "" : ", " + t.link());
}

}  // namespace

std::string explain(std::span<const Trial> trials, std::optional<double> target) {
  const std::vector<Judgement> all = judge(trials, target);
  std::string text;
  for (auto first = all.begin(); first != all.end();) {
    const Trial& t = trials[first->trial];
    const auto last = std::find_if(first, all.end(), [&](const Judgement& j) {
      return !same_study(trials[j.trial], t) || trials[j.trial].bandwidth != t.bandwidth;
    });
    if (first == all.begin() || !same_study(trials[std::prev(first)->trial], t))
      text += (text.empty() ? "" : "\n") + study_text(t) + "\n";
    text += fmt::format("- {}: {}\n", network(t), Story(trials, {first, last}).told());
    first = last;
  }
  return text;
}

}  // namespace arlab::bench
