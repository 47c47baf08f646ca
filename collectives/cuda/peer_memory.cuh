// Flags and words that ranks of a plan exchange, with the memory orders that PTX's model asks for.
//
// A block publishes its progress after a barrier, by a release of the whole system; who waits
// acquires it, and then passes a barrier. So all that the block has read and written happens before
// all that the waiting block does next: the model's release and acquire are cumulative over
// barriers of a block ("Memory Consistency Model", PTX ISA 8). Data between them are plain
// accesses.
//
// Words need no order: 8 bytes that are written as one hold 4 bytes of data and the number of the
// run that wrote them. Each run has its own slot for each message, and runs follow one another.
//
// The stand-in for CUDA runs threads in any order between these accesses, so a missing wait, flag,
// or barrier gives wrong results there. It keeps memory in order: a test finds release, acquire,
// their scope, and accesses of 8 bytes in the PTX of these functions; that they suffice is by
// reasoning alone.
#pragma once

#include <cuda/atomic>

#include "collectives/gpu/peer_plan.hpp"

namespace arlab::collectives::cuda {

template <class T>
using SystemAtomic = ::cuda::atomic_ref<T, ::cuda::thread_scope_system>;
template <class T>
using DeviceAtomic = ::cuda::atomic_ref<T, ::cuda::thread_scope_device>;

/// One thread, after a barrier of its block.
__device__ inline void publish(PeerFlag& flag, PeerFlag progress) {
  SystemAtomic<PeerFlag>(flag).store(progress, ::cuda::memory_order_release);
}
/// Before a barrier of the block.
__device__ inline bool is_published(PeerFlag& flag, PeerFlag progress) {
  return SystemAtomic<PeerFlag>(flag).load(::cuda::memory_order_acquire) >= progress;
}

__device__ inline void send_word(std::uint64_t& word, std::uint32_t data, std::uint32_t run) {
  SystemAtomic<std::uint64_t>(word).store(std::uint64_t{run} << 32 | data,
                                          ::cuda::memory_order_relaxed);
}
/// The word as it is now; it has arrived if its upper half is the run.
__device__ inline std::uint64_t look_at_word(std::uint64_t& word) {
  return SystemAtomic<std::uint64_t>(word).load(::cuda::memory_order_relaxed);
}

}  // namespace arlab::collectives::cuda
