// Dataset: labeled images as numbers from any source, and transformations of them.
//
// A Dataset is a value: mapped(), cached() and part() take one and return another.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "algorithms/problem.hpp"

namespace arlab::training {

/// The shape of one sample. Values lie channel by channel, row by row.
struct Shape {
  int channels = 1, height = 1, width = 1;
  Count values() const { return Count{channels} * height * width; }
  bool operator==(const Shape&) const = default;
};

struct Dataset {
  std::string name;
  Shape shape;
  int classes = 10;
  Count samples = 0;
  /// Number of samples in each source file, in order; empty if there are no files.
  std::vector<Count> files;
  /// Fills all values of sample `index` and returns its label, 0 to classes - 1. Several threads may
  /// call it at once.
  std::function<int(Count index, std::span<float> values)> sample;
  /// Varies the values of sample `index` for `epoch`, after all maps and caches; empty if all epochs
  /// are the same. Several threads may call it at once.
  std::function<void(Count epoch, Count index, std::span<float> values)> vary;
};

/// Returns a data set that applies `map` to the values of each sample.
Dataset mapped(Dataset from, std::function<void(std::span<float>)> map);

/// Returns a data set that keeps each sample in memory: `samples * shape.values()` floats in all.
Dataset cached(Dataset from);

/// Returns samples [first, first + count). Throws Error(usage) if there are fewer.
Dataset part(Dataset from, Count first, Count count);

}  // namespace arlab::training
