// Compiled to PTX alone, by peer_orders.sh: each access of peer_memory.cuh in a kernel of its own.
#include "collectives/cuda/peer_memory.cuh"

using arlab::collectives::PeerFlag;
namespace cuda_peer = arlab::collectives::cuda;

extern "C" {
__global__ void publishes(PeerFlag* flag) { cuda_peer::publish(*flag, 3); }
__global__ void looks(PeerFlag* flag, bool* is) { *is = cuda_peer::is_published(*flag, 3); }
__global__ void sends(std::uint64_t* word) { cuda_peer::send_word(*word, 1, 2); }
__global__ void receives(std::uint64_t* word, std::uint64_t* into) {
  *into = cuda_peer::look_at_word(*word);
}
}
