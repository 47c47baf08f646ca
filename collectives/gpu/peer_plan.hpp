// PeerPlan: a collective as steps in device memory, which one kernel per device carries out.
//
// Each rank has a set of blocks. All blocks of a rank perform its steps in order, each on its slice
// of the elements. A block publishes its progress in a flag that it alone writes; others wait for
// flags. Plain data, read by the kernel (cuda/peer.cu).
#pragma once

#include <cstddef>
#include <cstdint>

#include "algorithms/problem.hpp"
#include "collectives/gpu/vector16.hpp"

namespace arlab::collectives {

/// A flag is the number of the run, above 32 bits for the steps that the block has completed.
using PeerFlag = std::uint64_t;

/// What a step needs: that a rank has completed its first `progress` steps; only the same block of
/// it, or all blocks.
struct PeerWait {
  PeerFlag* flags = nullptr;  ///< of the rank's blocks
  std::uint32_t progress = 0;
  Rank rank = 0;
  bool all_blocks = false;
};

/// `words` are messages with the run's number in each 8 bytes: the receiver needs no flag. Two
/// words hold 8 bytes of data.
enum class PeerKind : std::uint8_t {
  mark,         ///< nothing, after its waits
  copy,         ///< from memory
  reduce,       ///< from memory of several senders, in their order
  push,         ///< from memory into words of another rank
  pull,         ///< from own words, once they have arrived
  pull_reduce,  ///< from own words of several senders, in their order
  divide,       ///< `into` by the divisor
};

struct PeerStep {
  PeerKind kind = PeerKind::mark;
  bool publishes = false;  ///< whether someone waits for it
  std::uint32_t first_source = 0, sources = 0, first_wait = 0, waits = 0;
  Count elements = 0;
  std::byte* into = nullptr;
  double divisor = 1;
};

/// The steps of one rank of the device.
struct PeerRank {
  Rank rank = 0;
  std::uint32_t first_step = 0, steps = 0;
  PeerFlag* flags = nullptr;
};

/// The state of one device between runs; zero at first.
struct PeerControl {
  std::uint64_t runs = 0;       ///< completed
  std::uint32_t finished = 0;   ///< blocks that have completed the current one
  std::uint32_t abandoned = 0;  ///< whether a wait of the current run was given up
};

/// In host memory, of each device: the first wait that it gave up.
struct PeerStall {
  std::uint32_t happened = 0;
  std::uint32_t step = 0;
  Rank rank = 0, peer = 0;  ///< who waited, and for whom
};

/// What the kernel of one device is given. All memory is its own or that of peers.
struct PeerPlan {
  const PeerRank* ranks = nullptr;
  const PeerStep* steps = nullptr;
  const PeerWait* waits = nullptr;
  const std::byte* const* sources = nullptr;
  const Rank* senders = nullptr;  ///< of each source
  PeerControl* control = nullptr;
  PeerStall* stall = nullptr;
  int ranks_here = 0, blocks = 1;  ///< blocks of each rank
  Count granule = 1;               ///< elements: slices begin at multiples
  double patience = 0;             ///< seconds until a wait is given up; 0: never
};

/// The blocks of a kernel that are resident at once.
struct PeerGrid {
  int blocks = 1;  ///< of each rank
  int threads = 1;
};

/// The elements [first, first + elements) of one block.
struct PeerSlice {
  Count first = 0, elements = 0;
};

/// Equal elements give equal slices, so that equal ranges need no order between blocks.
ARLAB_ANYWHERE inline PeerSlice slice_of(Count elements, Count granule, int blocks, int block) {
  const Count granules = (elements + granule - 1) / granule;
  const Count each = (granules + blocks - 1) / blocks * granule;
  const Count first = each * block < elements ? each * block : elements;
  return {first, each < elements - first ? each : elements - first};
}

/// Bytes of the words that hold that number of bytes of data.
ARLAB_ANYWHERE inline Count word_bytes(Count bytes) { return (bytes + 7) / 8 * 16; }

}  // namespace arlab::collectives
