// pattern: test inputs whose result has exactly one right answer in the type, whatever the order of
// additions.
#pragma once

#include <span>

#include "algorithms/problem.hpp"
#include "collectives/reduce/dtype.hpp"

namespace arlab::collectives {

/// Writes the input of rank `me`. Every partial sum, product, minimum and maximum is exact in the
/// type, at any number of ranks. What the rank does not hold at the start (Spec) is filled with
/// values that would spoil the result.
void fill(std::span<std::byte> data, Operand operand, const Problem& problem, Rank me);

/// Writes the right answer to the elements that rank `me` must hold at the end (Spec); leaves
/// others.
void right_answer(std::span<std::byte> data, Operand operand, const Problem& problem, Rank me);

/// How many elements that rank `me` must hold at the end (Spec) are not the right answer.
Count wrong_elements(std::span<const std::byte> data, Operand operand, const Problem& problem,
                     Rank me);

}  // namespace arlab::collectives
