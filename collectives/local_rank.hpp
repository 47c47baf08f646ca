// local_rank: the position of a rank among those of its machine, by which ranks share its GPUs.
#pragma once

#include <algorithm>
#include <span>

#include "algorithms/base/error.hpp"
#include "collectives/communicator.hpp"

namespace arlab::collectives {

/// `machines`: of each rank (Communicator::machines).
inline Rank local_rank(std::span<const Rank> machines, Rank rank) {
  const auto before = machines.first(static_cast<std::size_t>(rank));
  return static_cast<Rank>(
      std::count(before.begin(), before.end(), machines[static_cast<std::size_t>(rank)]));
}

/// Returns which of a machine's `gpus` the rank at that position there takes: ranks take them in
/// turn. Throws Error(environment) if there are none.
inline int gpu_of(Rank local_rank, Rank gpus) {
  expects(local_rank >= 0, "a local rank counts from 0");
  if (gpus < 1)
    fail(Blame::environment, "no GPU is visible: see nvidia-smi -L and CUDA_VISIBLE_DEVICES");
  return static_cast<int>(local_rank % gpus);
}

/// All ranks call it together.
inline Rank local_rank(Communicator& communicator) {
  return local_rank(communicator.machines(), communicator.rank());
}

}  // namespace arlab::collectives
