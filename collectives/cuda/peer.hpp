// The kernel that runs a whole plan (PeerPlan), one launch per device.
//
// All its blocks must be resident at once, since they wait for one another: it is a cooperative
// launch, which CUDA refuses otherwise, on at most the blocks that peer_grid() finds.
#pragma once

#include <cuda_runtime_api.h>

#include "collectives/gpu/peer_plan.hpp"
#include "collectives/reduce/dtype.hpp"

namespace arlab::collectives::cuda {

/// Returns the largest grid on device `index`, the current one, that is resident at once with
/// `ranks` ranks. Throws Error(environment) if the device has no room for one block per rank, or no
/// cooperative launches.
PeerGrid peer_grid(int index, Rank ranks, Operand operand);
/// Loads the kernels of all operands on the current device.
void load_peer_kernels();
/// `cycles`: of a multiprocessor's clock, until a wait is given up; 0: never.
void run_plan(const PeerPlan& plan, int threads, Operand operand, long long cycles,
              cudaStream_t stream);

}  // namespace arlab::collectives::cuda
