// IDX: reads the files of MNIST and Fashion-MNIST: http://yann.lecun.com/exdb/mnist
//
// A file has two zero bytes, the type of the values (8: unsigned bytes) and the number of dimensions;
// then each dimension as 32 bits, most significant byte first; then the values, scaled to 0 to 1.
#pragma once

#include <string>
#include <string_view>

#include "training/data/dataset.hpp"

namespace arlab::training {

/// Parses a file of images and one of labels; the names are for messages. Throws Error(usage) if they
/// are not IDX files, compressed, truncated, too long, swapped, of different counts, or have a label
/// beyond the classes.
Dataset parse_idx(std::string images, const std::string& images_name, std::string labels,
                  const std::string& labels_name, int classes = 10);

/// Reads the training or the test set from a folder, under its official names
/// (train-images-idx3-ubyte and so on, or train-images.idx3-ubyte). Throws Error(environment) if
/// files are missing.
Dataset read_idx(const std::string& folder, bool training);

}  // namespace arlab::training
