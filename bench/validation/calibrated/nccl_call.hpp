// NCCL calls: the time of a collective that NCCL chooses the algorithm of, calibrated from measured
// times.
//
// NCCL chooses by its own estimates (simulator/nccl), right or wrong; what the choice costs follows
// from the same steps and rates, each scaled to the machine, and from how its kernels work:
// - LL moves one flagged line per thread and step for no more than the step's latency;
// - a ring has one copy more than it has steps, which a short ring feels most;
// - NVLS works in loops of one chunk per channel and GPU: a step to reduce, a step to multicast;
// - NVLSTree does so in each node while the NICs send, each time a whole chunk;
// - between nodes a call has a part of its own, whatever its steps: the processors' threads start;
// - what NCCL counts as longer than it is only to choose it less often is taken as it is;
// - GPUs without NVLink share one path through the processors, the more of them the less each.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "bench/validation/calibrated/robust_fit.hpp"
#include "simulator/nccl/choice.hpp"

namespace arlab::simulator {

/// A collective and what NCCL takes for it.
struct NcclCall {
  std::shared_ptr<const nccl::Tuning> tuning;
  nccl::Choice choice;
  double bytes = 0;  ///< of the vector; for all-gather and reduce-scatter the gathered one
};

/// Throws Error(usage) as nccl::tune() does. `support`: see nccl::choose().
NcclCall make_nccl_call(const nccl::Machine& machine, Collective collective, double bytes,
                        const nccl::Support& support);

std::vector<Prior> nccl_call_priors();
/// Whether a parameter, by its number, describes a node; the others describe its network.
bool describes_node(std::size_t parameter);

/// Returns the times [us] with parameters in the order of nccl_call_priors().
std::vector<double> nccl_call_times(const std::vector<NcclCall>& calls,
                                    std::span<const double> parameters);

}  // namespace arlab::simulator
