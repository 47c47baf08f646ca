// GPU nodes: the time of an allreduce by messages between GPUs, a reduce-scatter inside each node,
// an allreduce between nodes, and an all-gather inside each node, calibrated from measured times.
//
// Every reduction is a kernel that the host starts and waits for. PICO's form for latency runs the
// middle part over all ranks, its form for bandwidth over the ranks with the same place in their
// nodes (source: AllReduceHIER_LAT_MPI and AllReduceHIER_BW_MPI of lor3ny/net-microbenchmark).
#pragma once

#include <span>
#include <vector>

#include "algorithms/base/types.hpp"
#include "bench/validation/calibrated/robust_fit.hpp"

namespace arlab::simulator {

struct GpuNodesCase {
  bool whole = false;  ///< the middle part exchanges its whole share, otherwise halves
  Rank ranks = 1;
  Rank ranks_per_node = 1;
  Count bytes = 0;
};

std::vector<Prior> gpu_nodes_priors();

/// Returns the times [us] with parameters in the order of gpu_nodes_priors().
std::vector<double> gpu_nodes_times(const std::vector<GpuNodesCase>& cases,
                                    std::span<const double> parameters);

}  // namespace arlab::simulator
