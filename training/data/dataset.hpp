// Dataset: labelled images as numbers, whatever they come from; and what can be done to each.
//
// A Dataset is a value: mapped(), cached() and part() take one and give another.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "algorithms/problem.hpp"

namespace arlab::training {

/// Of one sample. Values lie channel by channel, row by row.
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
  /// Samples in each file that it came from, in order; empty where there are no files.
  std::vector<Count> files;
  /// Fills all values of sample `index` and returns its label, 0 to classes - 1. May be called by
  /// several threads at once.
  std::function<int(Count index, std::span<float> values)> sample;
  /// Changes the values of sample `index` as it is seen in `epoch`, after all maps and caches;
  /// empty where all epochs see the same. Of the same kind as `sample`.
  std::function<void(Count epoch, Count index, std::span<float> values)> vary;
};

/// Applies `map` to the values of each sample.
Dataset mapped(Dataset from, std::function<void(std::span<float>)> map);

/// Remembers each sample once it was made: `samples * shape.values()` floats of memory.
Dataset cached(Dataset from);

/// Samples [first, first + count). Throws Error(usage) if there are not as many.
Dataset part(Dataset from, Count first, Count count);

}  // namespace arlab::training
