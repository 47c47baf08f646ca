// CIFAR-10 in its binary version: https://www.cs.toronto.edu/~kriz/cifar.html
//
// A record is a label and the red, the green and the blue plane of 32 x 32 bytes. A file has any
// number of records, usually 10,000. Values are scaled to 0 to 1.
#pragma once

#include <string>
#include <vector>

#include "training/data/dataset.hpp"

namespace arlab::training {

struct NamedText {
  std::string name;  ///< for messages
  std::string text;
};

/// Throws Error(usage) if a file is empty, truncated or compressed, or has a label above 9.
Dataset parse_cifar10(std::vector<NamedText> files);

/// Reads data_batch_1.bin to data_batch_5.bin, or test_batch.bin, from a folder. Throws
/// Error(environment) if one is missing.
Dataset read_cifar10(const std::string& folder, bool training);

}  // namespace arlab::training
