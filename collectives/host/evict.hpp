// evict: removes memory from the processor's caches, so that the next run reads it from memory.
#pragma once

#include <cstddef>
#include <span>

namespace arlab::collectives {

/// Writes the memory back and drops it from all caches, where the processor has an instruction for
/// that. Elsewhere it fills the caches with other memory.
void evict(std::span<const std::byte> memory);

}  // namespace arlab::collectives
