// Optimizer: SGD, momentum and Adam on flat spans, with PyTorch's formulas.
//
// Our own, since a parameter server holds some of the variables only, and a bucket is applied when
// it has arrived. Kingma & Ba, Adam, ICLR 2015; for momentum see torch.optim.SGD.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "algorithms/problem.hpp"

namespace arlab::training {

struct OptimizerOptions {
  enum class Kind : std::uint8_t { sgd, momentum, adam };
  Kind kind = Kind::sgd;
  float momentum = 0.8F;
  float beta1 = 0.9F, beta2 = 0.999F, epsilon = 1e-8F;
};

std::string_view name(OptimizerOptions::Kind kind);
/// Throws Error(usage) naming the nearest.
OptimizerOptions::Kind find_optimizer(std::string_view text);

class Optimizer {
 public:
  Optimizer(const OptimizerOptions& options, Count elements);

  /// Once before the apply()s of a step.
  void start_step(double learning_rate);
  /// Changes the weights from `first` on by their gradients. Each element once a step.
  void apply(Count first, std::span<float> weights, std::span<const float> gradients);

  /// What a checkpoint must keep: first and second moments, one after the other.
  std::span<float> moments() { return moments_; }
  const OptimizerOptions& options() const { return options_; }
  Count steps() const { return steps_; }
  void set_steps(Count steps) { steps_ = steps; }

 private:
  OptimizerOptions options_;
  Count elements_;
  std::vector<float> moments_;
  Count steps_ = 0;
  double learning_rate_ = 0;
};

}  // namespace arlab::training
