// IDX files, the format of MNIST and Fashion-MNIST: http://yann.lecun.com/exdb/mnist
//
// Two zero bytes, the type of the values (8: unsigned bytes), the number of dimensions; then each
// dimension as 32 bits, most significant byte first; then the values. Values become 0 to 1.
#pragma once

#include <string>
#include <string_view>

#include "training/data/dataset.hpp"

namespace arlab::training {

/// A file of images and one of labels, as texts; the names are for messages. Throws Error(usage)
/// for whatever is wrong with them: foreign, compressed, cut short, too long, swapped, of different
/// counts, a label beyond the classes.
Dataset parse_idx(std::string images, const std::string& images_name, std::string labels,
                  const std::string& labels_name, int classes = 10);

/// The training or the test set in a folder, under the names that it is distributed with
/// (train-images-idx3-ubyte, ... or train-images.idx3-ubyte, ...). Throws Error(environment) if
/// they are not there.
Dataset read_idx(const std::string& folder, bool training);

}  // namespace arlab::training
