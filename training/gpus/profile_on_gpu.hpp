// The times of a profile on another GPU, or in another precision.
#pragma once

#include <optional>

#include "training/gpus/gpu.hpp"
#include "training/profiles/model_profile.hpp"

namespace arlab::training {

/// What is not set stays that of the profile; the precision of another GPU is its usual one.
struct GpuChoice {
  const GpuKind* gpu = nullptr;
  std::optional<Precision> precision = {};
};

/// Returns the profile with its passes scaled by the rates that training reaches, and its optimizer
/// by the memory's rate. Models of images count as convolutional, others as transformers. Throws
/// Error(usage) that names the device if it is not known what the profile's times are of.
ModelProfile on_gpu(ModelProfile profile, const GpuChoice& choice);

}  // namespace arlab::training
