// Augmentation: training images that are moved and mirrored anew in each epoch, so that a model
// does not learn them by heart.
//
// What becomes of a sample depends on the seed, the epoch and the sample's number only: it is the
// same for any number of workers, and after a resume.
#pragma once

#include <cstdint>

#include "training/data/dataset.hpp"

namespace arlab::training {

struct Augmentation {
  int shift = 0;        ///< most pixels an image is moved, each way; what comes in is 0 (black)
  bool mirror = false;  ///< left and right change places, half of the time
  std::uint64_t seed = 1;
};

/// What is usual for such images. In colour: a random crop of the image with a border of 4 black
/// pixels, and a mirror (He et al., CVPR 2016, section 4.2). Grey: 2 pixels, and no mirror, since
/// most digits and letters do not survive one.
Augmentation usual_augmentation(const Shape& shape, std::uint64_t seed);

/// Sets Dataset::vary; caches and maps, before or after, see the images as they were. Throws
/// Error(usage) for a shift below 0, or as large as the image.
Dataset augmented(Dataset from, const Augmentation& augmentation);

}  // namespace arlab::training
