// NCCL: the time of ncclAllReduce, with NCCL's own cost model, calibrated from measured times.
//
// NCCL estimates each pair of algorithm and protocol by steps inside and between nodes and by
// bandwidth, and takes the cheapest protocol; so does this model. Latencies, the protocols' shares
// of bandwidth, and the correction of trees are those of NCCL (src/graph/tuning.cc); a fit scales
// them to a system.
#pragma once

#include <span>
#include <vector>

#include "algorithms/base/types.hpp"
#include "bench/validation/calibrated/robust_fit.hpp"

namespace arlab::simulator {

struct NcclCase {
  bool tree = false;  ///< otherwise ring
  Rank ranks = 1;
  Rank ranks_per_node = 1;
  Count bytes = 0;
};

std::vector<Prior> nccl_priors();

/// Returns the times [us] with parameters in the order of nccl_priors().
std::vector<double> nccl_times(const std::vector<NcclCase>& cases,
                               std::span<const double> parameters);

}  // namespace arlab::simulator
