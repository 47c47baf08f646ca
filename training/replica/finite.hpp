// Finite: whether gradients are numbers.
#pragma once

#include <span>

#include "training/replica/replica.hpp"

namespace arlab::training {

/// Throws Error(check), naming the variable and the step, if an element of the part, which begins
/// at `first` of the flat gradients, is no finite number. `kept`: no weight has been changed by it
/// yet.
void expect_finite(std::span<const Variable> variables, Count first, std::span<const float> part,
                   Count step, bool kept = true);

}  // namespace arlab::training
