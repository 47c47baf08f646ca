// local_rank: the position of a rank among those of its machine, by which ranks share its GPUs.
#pragma once

#include <algorithm>
#include <span>

#include "collectives/communicator.hpp"

namespace arlab::collectives {

/// `machines`: of each rank (Communicator::machines).
inline Rank local_rank(std::span<const Rank> machines, Rank rank) {
  const auto before = machines.first(static_cast<std::size_t>(rank));
  return static_cast<Rank>(
      std::count(before.begin(), before.end(), machines[static_cast<std::size_t>(rank)]));
}

/// All ranks call it together.
inline Rank local_rank(Communicator& communicator) {
  return local_rank(communicator.machines(), communicator.rank());
}

}  // namespace arlab::collectives
