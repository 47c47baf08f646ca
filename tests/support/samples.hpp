// Small data sets for tests of their consumers.
#pragma once

#include "training/data/dataset.hpp"

namespace arlab::training {

/// Returns a data set whose sample i has the values {i, -i} and the label i % 10.
inline Dataset numbered(Count samples, std::vector<Count> files = {}) {
  Dataset d;
  d.name = "numbered";
  d.shape = {2, 1, 1};
  d.samples = samples;
  d.files = std::move(files);
  d.sample = [](Count index, std::span<float> values) {
    values[0] = static_cast<float>(index);
    values[1] = -values[0];
    return static_cast<int>(index % 10);
  };
  return d;
}

inline std::vector<float> values_of(const Dataset& d, Count index) {
  std::vector<float> values(static_cast<std::size_t>(d.shape.values()));
  d.sample(index, values);
  return values;
}

}  // namespace arlab::training
