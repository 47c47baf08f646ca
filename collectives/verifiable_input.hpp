// Verifiable input: vectors whose collective has exactly one expected result, in any order of
// additions.
#pragma once

#include <span>

#include "algorithms/problem.hpp"
#include "collectives/reduce/dtype.hpp"

namespace arlab::collectives {

/// Writes the input of rank `me`. Every partial sum, product, minimum and maximum is exact in the
/// type, for any number of ranks. Elements that the rank does not hold at the start (Spec) get
/// values that would corrupt the result.
void fill(std::span<std::byte> data, Operand operand, const Problem& problem, Rank me);

/// A byte: no element whose bytes all are this is an expected result. A vector filled with it holds
/// no result yet.
inline constexpr int kNoResult = 0x7f;

/// Writes the expected result to the elements that rank `me` must hold at the end (Spec). Leaves
/// the others.
void expected_result(std::span<std::byte> data, Operand operand, const Problem& problem, Rank me);

/// Counts the elements that rank `me` must hold at the end (Spec) and that differ from the expected
/// result.
Count wrong_elements(std::span<const std::byte> data, Operand operand, const Problem& problem,
                     Rank me);

}  // namespace arlab::collectives
