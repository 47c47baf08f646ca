// The codes of a step: a scheduler's bundles, or slices, each of which is encoded by itself.
#pragma once

#include <span>
#include <vector>

#include "training/exchange/gradient_options.hpp"

namespace arlab::training {

/// Returns the shapes of each code, as GradientExchange makes them.
std::vector<TensorShapes> code_units(const GradientOptions& options,
                                     std::span<const Variable> variables);

}  // namespace arlab::training
