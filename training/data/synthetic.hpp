// Synthetic: learnable synthetic images, for machines without data sets.
//
// Each class has two smooth patterns. A sample is one of them, moved by up to two pixels and scaled
// in each channel, plus some of another class's pattern and noise. The nearest mean image classifies
// four of five samples; a small network is better within an epoch. Everything is integer arithmetic
// on counter-based random numbers, so the same seed gives the same bytes on every machine.
#pragma once

#include <cstdint>

#include "training/data/dataset.hpp"

namespace arlab::training {

struct Synthetic {
  Shape shape{1, 28, 28};
  Count samples = 10'000;
  std::uint64_t seed = 1;
  bool validation = false;  ///< uses other samples of the same classes
};

/// Returns ten classes with values 0 to 1. Throws Error(usage) for shapes below 8 x 8 or 0 samples.
Dataset synthetic(const Synthetic& wanted);

}  // namespace arlab::training
