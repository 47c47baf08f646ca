// execute: runs an algorithm's programs for real, over any Communicator.
#pragma once

#include <span>

#include "algorithms/algorithm.hpp"
#include "collectives/communicator.hpp"

namespace arlab {

/// Runs this rank's part of the collective in place on `data` (problem.elements x size_of(dtype)
/// bytes); every rank of the communicator calls it with the same algorithm, problem and segments.
/// The lanes run concurrently. Returns what this rank sent: messages, elements and rounds (of its
/// longest lane). Throws Error(usage) if the sizes disagree or the algorithm does not support the
/// problem.
Cost execute(Communicator& communicator, const Algorithm& algorithm, const Problem& problem,
             std::span<std::byte> data, Operand operand, int segments = 1);

}  // namespace arlab
