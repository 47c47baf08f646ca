// stream_copy: memcpy around the caches of this core.
//
// A line that another core has read is shared. To write it, a core must first take it from the
// other, which many processors do slowly, one line after the other. A streaming store does not: it
// replaces the whole line in memory. The price is that the copy is in no cache afterwards.
#pragma once

#include <cstddef>

namespace arlab::collectives {

/// Copies `bytes` that do not overlap. Other threads and processes that see a later release also
/// see them.
void stream_copy(std::byte* into, const std::byte* from, std::size_t bytes);

}  // namespace arlab::collectives
