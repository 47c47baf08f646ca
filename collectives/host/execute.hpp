// execute: runs one rank of an algorithm on host memory, over any Communicator.
#pragma once

#include <span>
#include <string>

#include "algorithms/algorithm.hpp"
#include "collectives/communicator.hpp"

namespace arlab::collectives {

/// Runs this rank's part of the collective in place on `data` (problem.elements x size_of(dtype)
/// bytes). Every rank of the communicator calls it with the same algorithm, problem and segments.
/// The lanes run concurrently, and are numbered from `first_lane`. Returns what this rank sent:
/// messages, elements and rounds (of its longest lane). Throws Error(usage) if the sizes disagree
/// or the algorithm does not support the problem.
Cost execute(Communicator& communicator, const Algorithm& algorithm, const Problem& problem,
             std::span<std::byte> data, Operand operand, int segments = 1, int first_lane = 0);

/// The same with chunks of any sizes: chunk c is the elements [begins[c], begins[c + 1]), and
/// problem.elements is ignored. For algorithms of one lane; operand.op must not be avg.
Cost execute_uneven(Communicator& communicator, const Algorithm& algorithm, const Problem& problem,
                    std::span<const Count> begins, std::span<std::byte> data, Operand operand);

/// Returns "ring allreduce of 1000 float32 on 4 ranks".
std::string description(const Algorithm& algorithm, const Problem& problem, Operand operand);

}  // namespace arlab::collectives
