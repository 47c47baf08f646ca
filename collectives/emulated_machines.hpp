// One machine can stand for several.
#pragma once

#include <cstdint>

namespace arlab::collectives {

/// Returns the variable ARLAB_RANKS_PER_MACHINE: each that many successive ranks of the job count
/// as a machine of their own; 0 if it is not set. Throws Error(usage) if it is not a positive
/// number.
std::int32_t ranks_per_emulated_machine();

}  // namespace arlab::collectives
