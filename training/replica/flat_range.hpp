// FlatRange: a part of the flat vectors of weights, gradients, and moments.
#pragma once

#include <cstddef>
#include <span>

#include "algorithms/problem.hpp"

namespace arlab::training {

/// Elements [begin, begin + elements) of the flat vectors.
struct FlatRange {
  Count begin = 0, elements = 0;

  Count end() const { return begin + elements; }
  template <class T>
  std::span<T> of(std::span<T> flat) const {
    return flat.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(elements));
  }
  bool operator==(const FlatRange&) const = default;
};

}  // namespace arlab::training
