#include "bench/training/profiled/time_to_accuracy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <tuple>

#include "bench/text/table.hpp"
#include "bench/text/units.hpp"

namespace arlab::bench {
namespace {

constexpr std::size_t kFastest = 3;  // with the usual compressor

// Before all that have not reached it.
auto rank_of(const Trial& trial, double accuracy) {
  return std::tuple(trial.seconds_to(accuracy).value_or(std::numeric_limits<double>::infinity()),
                    trial.step);
}

}  // namespace

void StepPace::step(double begin, double seconds) {
  if (steps_since_ >= 2) {
    between_ += begin - last_;
    ++counted_;
  }
  last_ = begin;
  seconds_ += seconds;
  ++steps_since_;
  ++steps_;
}

double StepPace::mean() const {
  if (counted_ > 0) return between_ / static_cast<double>(counted_);
  return steps_ > 0 ? seconds_ / static_cast<double>(steps_) : 0;
}

std::optional<Count> Trial::steps_to(double accuracy) const {
  for (const Point& p : curve)
    if (p.accuracy >= accuracy) return p.steps;
  return {};
}

std::optional<double> Trial::seconds_to(double accuracy) const {
  const auto steps = steps_to(accuracy);
  return steps ? std::optional(seconds_of(*steps)) : std::nullopt;
}

double Trial::best() const {
  double most = 0;
  for (const Point& p : curve) most = std::max(most, p.accuracy);
  return most;
}

bool ends(const Trial& trial, const Goal& goal) {
  return trial.curve.back().accuracy >= goal.accuracy ||
         trial.seconds_of(trial.curve.back().steps) >= goal.seconds;
}

std::vector<ExchangeSetting> settings_to_train(const SettingsSearch& search,
                                               const ExchangeSetting& usual) {
  std::vector<ExchangeSetting> all{usual};
  for (const ExchangeSetting& s : search.settings)
    if (same_setting(s, usual)) all.front().simulated = s.simulated;
  const double known_step = all.front().simulated;
  const double before = known_step > 0 ? known_step : std::numeric_limits<double>::infinity();
  for (const ExchangeSetting& s : search.settings) {
    const auto like = [&](const ExchangeSetting& other) {
      return other.compressor == s.compressor;
    };
    const bool known = std::any_of(all.begin(), all.end(), [&](const ExchangeSetting& other) {
      return same_setting(s, other) || (like(other) && s.simulated == other.simulated);
    });
    const auto already = static_cast<std::size_t>(std::count_if(all.begin(), all.end(), like));
    const bool wanted = like(usual) ? already <= kFastest : already == 0 && s.simulated < before;
    if (!known && wanted) all.push_back(s);
  }
  return all;
}

Goal next_goal(const std::vector<Trial>& trials, double accuracy) {
  Goal goal{.accuracy = accuracy};
  for (const Trial& t : trials)
    if (const auto seconds = t.seconds_to(accuracy))
      goal.seconds = std::min(goal.seconds, *seconds);
  const Trial& usual = trials.front();
  if (goal.seconds == Goal{}.seconds) goal.seconds = usual.seconds_of(usual.curve.back().steps);
  return goal;
}

std::optional<std::size_t> choose_trial(const std::vector<Trial>& trials, double accuracy) {
  const auto best = std::min_element(
      trials.begin(), trials.end(),
      [&](const Trial& a, const Trial& b) { return rank_of(a, accuracy) < rank_of(b, accuracy); });
  const auto reached = best->seconds_to(accuracy), usual = trials.front().seconds_to(accuracy);
  if (!reached) return {};
  const bool pays = !usual || is_worth_it(*usual, *reached);
  return pays ? static_cast<std::size_t>(best - trials.begin()) : 0;
}

std::string trials_table(const std::vector<Trial>& trials, double accuracy) {
  std::vector<std::vector<std::string>> rows;
  const auto usual = trials.front().seconds_to(accuracy);
  for (const Trial& t : trials) {
    const auto seconds = t.seconds_to(accuracy);
    const Count steps = t.steps_to(accuracy).value_or(t.curve.back().steps);
    rows.push_back(
        {t.setting.algorithm, t.setting.scheduler, t.setting.compressor,
         t.setting.simulated > 0 ? show_time(1e6 * t.setting.simulated) : "",
         show_time(1e6 * t.step), show_count(steps),
         (seconds ? "" : "over ") + show_time(1e6 * t.seconds_of(steps)),
         seconds && usual ? fmt::format("{:+.1f}%", 100 * (*seconds / *usual - 1)) : ""});
  }
  return compact({"algorithm", "scheduler", "compressor", "simulated", "step", "steps",
                  "time to " + show_percent(accuracy), "change"},
                 rows);
}

std::string explain_missed(const std::vector<Trial>& trials, double accuracy) {
  std::string text;
  for (const Trial& t : trials)
    if (!t.steps_to(accuracy))
      text += fmt::format("{} did not reach {}: {} after {}, in {}.\n", words_of(t.setting),
                          show_percent(accuracy), show_percent(t.best()),
                          show_plural(t.curve.back().steps, "step"),
                          show_time(1e6 * t.seconds_of(t.curve.back().steps)));
  return text;
}

}  // namespace arlab::bench
