// Augmentation: moves and mirrors training images differently in each epoch, to reduce overfitting.
//
// The variation depends only on the seed, the epoch and the sample's number: it is the same for any
// number of workers and after a resume.
#pragma once

#include <cstdint>

#include "training/data/dataset.hpp"

namespace arlab::training {

struct Augmentation {
  int shift = 0;        ///< maximum movement in pixels, in each direction; fills with 0 (black)
  bool mirror = false;  ///< mirrors half of the images left to right
  std::uint64_t seed = 1;
};

/// Returns the usual augmentation of such images. Color: a random crop of the image with a border of
/// 4 black pixels, and a mirror (He et al., CVPR 2016, section 4.2). Gray: 2 pixels and no mirror,
/// because most digits and letters do not survive one.
Augmentation usual_augmentation(const Shape& shape, std::uint64_t seed);

/// Sets Dataset::vary; caches and maps still see the original images. Throws Error(usage) for a shift
/// below 0 or as large as the image.
Dataset augmented(Dataset from, const Augmentation& augmentation);

}  // namespace arlab::training
