// The two levels of a hierarchical collective as algorithms of their own, for callers that do
// something between them: sharded training keeps the block that the first level leaves with each
// rank.
//
// With G ranks per group, each lane's vector is cut into G blocks of consecutive chunks. A rank
// owns the block of its place in its group.
#pragma once

#include "algorithms/algorithm.hpp"

namespace arlab {

/// Returns the algorithm by which each group reduce-scatters or all-gathers the vector among its
/// ranks, all groups at the same time. `algorithm` must outlive it. Problems need groups of equal
/// size.
Algorithm within_groups(const Algorithm& algorithm);

/// Returns the algorithm by which the ranks of each place allreduce the block of that place over
/// all groups. The other blocks stay as they are.
Algorithm across_groups(const Algorithm& algorithm);

/// Returns the elements that the rank owns of a lane.
struct OwnedBlock {
  Count begin = 0, elements = 0;
};
OwnedBlock owned_block(const Problem& lane, Rank rank);

}  // namespace arlab
