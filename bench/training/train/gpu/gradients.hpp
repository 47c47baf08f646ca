// Gradients of replicas on GPUs: where they lie, and what is computed on them there.
#pragma once

#include <memory>
#include <string>

#include "training/replica/device_math.hpp"
#include "training/trainer/options.hpp"

namespace arlab::bench {

struct GradientPlace {
  /// Of the executor's GPU, if the gradients lie in its memory; else null.
  std::shared_ptr<const training::DeviceMath> math = nullptr;
  std::string text = {};  ///< "device", with how messages leave it, or "host: " and why
};

/// `cuda`: whether replicas compute on GPUs. The executor of the options' route must outlive the
/// result.
GradientPlace place_of_gradients(const training::TrainerOptions& learning, bool cuda);

}  // namespace arlab::bench
