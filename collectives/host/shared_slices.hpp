// shared_slices: an allreduce for ranks that read one another's memory.
//
// Each rank reduces its slice of the vector over all ranks' memory, then reads the other slices.
// That is two rounds, and the least that can be read; as messages between machines it would be
// 2m(m-1) of them.
#pragma once

#include <cstddef>
#include <vector>

#include "collectives/communicator.hpp"

namespace arlab::collectives {

inline constexpr const char* kSharedSlices = "shared slices";

/// Runs it in place. `round` is kept by the caller from call to call. All ranks call it together.
void shared_slices(Communicator& communicator, std::byte* data, Count elements, Operand operand,
                   std::vector<Transfer>& round);

}  // namespace arlab::collectives
