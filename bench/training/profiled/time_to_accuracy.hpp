// Tuning by time to accuracy: settings are trained for real until the validation data reach a
// target, since lossy compressors have shorter steps, but need more of them.
//
// A setting stops at the target, or when it has trained for longer than the best one before: then
// it cannot be the fastest any more.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "bench/training/profiled/tune_settings.hpp"

namespace arlab::bench {

/// The mean time of a step, without evaluations. Leaves out the first step after each evaluation,
/// which has nothing to wait for under schedulers without a barrier.
class StepPace {
 public:
  /// Both in seconds; `begin` is on one clock.
  void step(double begin, double seconds);
  void evaluated() { steps_since_ = 0; }
  /// Seconds; 0 before the first step.
  double mean() const;

 private:
  Count steps_since_ = 0, steps_ = 0, counted_ = 0;
  double last_ = 0, seconds_ = 0, between_ = 0;
};

/// Where the training of a setting ends.
struct Goal {
  double accuracy = std::numeric_limits<double>::infinity();  ///< of the validation data, 0 to 1
  double seconds = std::numeric_limits<double>::infinity();   ///< of training, without evaluations
};

/// The training of one setting.
struct Trial {
  struct Point {
    Count steps = 0;
    double accuracy = 0;  ///< of the validation data, 0 to 1
  };
  ExchangeSetting setting;
  double step = 0;                ///< seconds
  std::vector<Point> curve = {};  ///< the evaluations; at least one

  double seconds_of(Count steps) const { return step * static_cast<double>(steps); }
  /// Returns the steps until the first evaluation that reaches it, if one does.
  std::optional<Count> steps_to(double accuracy) const;
  std::optional<double> seconds_to(double accuracy) const;
  double best() const;  ///< accuracy
};

/// Returns whether it is enough: the goal is reached, or missed.
bool ends(const Trial& trial, const Goal& goal);

/// Returns the settings to train: the usual one, the three fastest with its compressor, which learn
/// as it does, and of each other compressor the fastest if it is faster than the usual one (or if
/// that is not simulated). Settings of equal simulated time and compressor count once.
std::vector<ExchangeSetting> settings_to_train(const SettingsSearch& search,
                                               const ExchangeSetting& usual);

/// Returns the goal of the next trial after these: the best time so far, or that of all steps of
/// the first one if none has reached the accuracy.
Goal next_goal(const std::vector<Trial>& trials, double accuracy);

/// Returns the index of the trial to use: the first to reach the accuracy, by step time if equal;
/// but the first of the list, which is the usual setting, unless another one saves more than 1%.
/// Empty if none reaches it.
std::optional<std::size_t> choose_trial(const std::vector<Trial>& trials, double accuracy);

std::string trials_table(const std::vector<Trial>& trials, double accuracy);

/// Returns a sentence per setting that has not reached the accuracy.
std::string explain_missed(const std::vector<Trial>& trials, double accuracy);

}  // namespace arlab::bench
