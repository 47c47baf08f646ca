// The options of train that decide how a step changes the weights: optimizer and learning rate.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "training/trainer/options.hpp"

namespace CLI {
class App;
}

namespace arlab::bench {

struct LearningOptions {
  std::string optimizer = "momentum", rate_scaling = "none";
  std::string rate_decay;            ///< empty: constant, or steps if one of the next two is given
  std::vector<double> decay_epochs;  ///< empty: 3 and 7
  std::optional<double> decay_factor;  ///< nothing: 0.1
  bool sets_momentum = false;

  /// Numbers go to `learning`, which must outlive `app`.
  void add(CLI::App& app, training::TrainerOptions& learning);
  /// Throws Error(usage) that names the bad value, also of an option without effect.
  void check_values(const training::TrainerOptions& learning) const;
  /// Sets optimizer, scaling and decay.
  void apply(training::TrainerOptions& learning) const;

 private:
  training::RateDecay decay() const;
};

}  // namespace arlab::bench
