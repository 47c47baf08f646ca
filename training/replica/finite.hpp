// Checks that gradients are finite.
#pragma once

#include <span>

#include "training/replica/replica.hpp"

namespace arlab::training {

/// Throws Error(check), naming the variable and the step, if an element of `part` is not finite.
/// `part` begins at `first` of the flat gradients. `kept`: no weight has changed yet.
void expect_finite(std::span<const Variable> variables, Count first, std::span<const float> part,
                   Count step, bool kept = true);

}  // namespace arlab::training
