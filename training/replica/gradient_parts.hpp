// GradientParts: what a strategy does with parts of the gradients where they lie, on the host or on
// a device.
#pragma once

#include "training/replica/optimizer.hpp"
#include "training/replica/replica.hpp"

namespace arlab::training {

class GradientParts {
 public:
  /// Both must outlive this, and the optimizer works where the gradients lie.
  GradientParts(Parameters& parameters, Optimizer& optimizer)
      : parameters_(parameters), optimizer_(optimizer), device_(parameters.on_device()) {}

  /// As the function of finite.hpp, on `elements` gradients from `first` on.
  void expect_finite(Count first, Count elements, Count step, bool kept = true);
  /// Updates these weights.
  void apply(Count first, Count elements);
  /// Sets these gradients to 0.
  void clear(Count first, Count elements);
  /// Number of all gradients.
  Count elements() const;

 private:
  std::span<float> gradients(Count first, Count elements) const;
  std::span<float> weights(Count first, Count elements) const;

  Parameters& parameters_;
  Optimizer& optimizer_;
  DeviceVectors* device_;
};

}  // namespace arlab::training
