// Synthetic images that can be learned, for machines without data sets.
//
// Each class has two smooth patterns. A sample is one of them, moved by up to two pixels, fainter
// or stronger in each channel, with some of another class's pattern and noise over it. The nearest
// mean image names four classes of five; a small network does better within an epoch. All of it is
// integer arithmetic on counter-based random numbers: the same seed gives the same bytes on every
// machine.
#pragma once

#include <cstdint>

#include "training/data/dataset.hpp"

namespace arlab::training {

struct Synthetic {
  Shape shape{1, 28, 28};
  Count samples = 10'000;
  std::uint64_t seed = 1;
  bool validation = false;  ///< other samples of the same classes
};

/// Ten classes, values 0 to 1. Throws Error(usage) for shapes below 8 x 8, or without samples.
Dataset synthetic(const Synthetic& wanted);

}  // namespace arlab::training
