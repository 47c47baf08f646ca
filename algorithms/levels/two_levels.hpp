// TwoLevels: an allreduce of one algorithm within each group of ranks and another between groups.
//
// Two forms, by what the algorithm within a group can do:
//
// - reduce_scatter and all_gather: the groups have equal size S. The vector is cut in S blocks.
//   Place i of each group gets block i reduced over its group, allreduces it with place i of all
//   other groups, and gathers the other blocks. Only N/S of a rank's vector leaves its group.
// - reduce and broadcast: the groups have any sizes. Each lane has a leader in every group, the
//   rank at the lane's place. It reduces the group's vectors, allreduces the sum with the other
//   leaders, and broadcasts the result. There are as many lanes as the smallest group has ranks, or
//   fewer.
#pragma once

#include <functional>

#include "algorithms/algorithm.hpp"

namespace arlab {

struct TwoLevels {
  const Algorithm* within = nullptr;  ///< both must outlive this
  const Algorithm* across = nullptr;
  Count leaders = 0;  ///< lanes with a leader of their own, at most; 0: as many as possible

  bool has_blocks() const;  ///< which of the two forms

  Program program(Problem p, Rank me) const;
  Cost cost(const Problem& p) const;
  Cost rank_cost(const Problem& p, Rank me) const;
  std::string unsupported_reason(const Problem& p) const;
  std::vector<Count> lane_weights(const Problem& p) const;
};

/// Returns the usual segments of an algorithm with levels (Algorithm::usual_segments).
int level_segments(const Problem& p);

/// Makes the entry run these levels. `levels` is called when they are needed, since the catalog
/// does not exist while its entries are made.
void run_levels(Algorithm& entry, const std::function<TwoLevels()>& levels);

}  // namespace arlab
