// HostReplica: a replica whose weights and gradients lie in vectors of its own.
#pragma once

#include <utility>
#include <vector>

#include "training/replica/replica.hpp"

namespace arlab::training {

class HostReplica : public Replica {
 protected:
  /// The variables follow one another: their offsets are set here. Weights begin as `weight`.
  explicit HostReplica(std::vector<Variable> variables, float weight = 0) {
    Count elements = 0;
    for (Variable& v : variables) v.offset = std::exchange(elements, elements + v.elements);
    weights_.resize(static_cast<std::size_t>(elements), weight);
    gradients_.resize(weights_.size());
    variables_ = std::move(variables);
    memory_ = {.weights = weights_, .gradients = gradients_};
  }

  std::vector<float> weights_, gradients_;
};

}  // namespace arlab::training
