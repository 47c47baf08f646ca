// Update: what one step of an optimizer computes, for the kernels of the processor and of GPUs.
#pragma once

#include <cstdint>

#include "algorithms/problem.hpp"

namespace arlab::training {

enum class OptimizerKind : std::uint8_t {
  sgd,
  momentum,
  adam,
  none,  ///< leaves the weights as they are: for replays, whose passes include the optimizer's time
};

/// The numbers of one step.
struct Update {
  OptimizerKind kind = OptimizerKind::sgd;
  float rate = 0;  ///< Adam: the learning rate / the bias correction of the mean
  float momentum = 0;
  float decay = 0;  ///< this part of each weight is added to its gradient first
  float beta1 = 0, beta2 = 0, epsilon = 0;
  float scale = 0;  ///< Adam: 1 / sqrt(the bias correction of the square)
};

/// What it changes: `elements` each. Without a use for them, the moments are null.
struct UpdatedPart {
  float* weights = nullptr;
  const float* gradients = nullptr;
  float* mean = nullptr;
  float* square = nullptr;
  Count elements = 0;
};

}  // namespace arlab::training
