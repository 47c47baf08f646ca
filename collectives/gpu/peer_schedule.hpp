// PeerSchedule: a DeviceSchedule as steps that each rank's blocks perform by themselves (PeerPlan),
// before memory is known.
//
// Large messages are read by the receiver once the sender's round has begun, as in a
// DeviceSchedule. Small ones are pushed by the sender as words when its round begins, and need
// neither flags nor copies. A rank's steps are in the order of the DeviceSchedule's work. Each wait
// is for work that comes before in that order, so ranks cannot wait for one another in a circle, if
// all blocks are resident.
//
// Ranks of one process start together, and end together. Those of several (`apart`) say when they
// begin: nobody reads a rank's memory, or pushes words to it, before; and a rank ends when all have
// read its memory.
//
// Where all ranges of a rank's memory are equal or disjoint, as in a ring, equal slices of blocks
// never meet those of other blocks: a block waits for the same block of others alone. Elsewhere, as
// in halving, waits are for all blocks, and steps wait for other blocks of their own rank, too.
#pragma once

#include <vector>

#include "collectives/gpu/device_schedule.hpp"
#include "collectives/gpu/peer_plan.hpp"

namespace arlab::collectives {

/// A place in a rank's memory.
struct PeerPlace {
  enum class Space : std::uint8_t { vector, scratch, words };
  Space space = Space::vector;
  Rank rank = 0;
  std::size_t offset = 0;  ///< bytes
};

struct PeerOptions {
  std::size_t most_in_words = std::size_t{8} << 10;  ///< bytes of a message that travels as words
  std::size_t block_bytes = std::size_t{8} << 10;    ///< of the largest message: worth a block
  double patience = 300;                             ///< seconds (PeerPlan)
  /// Nothing orders the kernels of one run after those of the last, or the work between: each rank
  /// says when it begins, and ends when all have read its memory.
  bool apart = false;
};

struct PeerSchedule {
  struct Wait {
    Rank rank = 0;
    std::uint32_t progress = 0;
    bool all_blocks = false;
  };
  struct Step {
    PeerKind kind = PeerKind::mark;
    bool publishes = false;
    PeerPlace into;
    Count elements = 0;
    std::vector<PeerPlace> sources;
    std::vector<Rank> senders;  ///< of each source
    std::vector<Wait> waits;
    double divisor = 1;
    std::int32_t lane = 0;
    std::uint32_t round = 0;  ///< of its rank's program, from 1; 0: of none
  };

  std::vector<std::vector<Step>> steps;  ///< of each rank
  std::vector<std::size_t> words;        ///< bytes of words that each rank needs
  double traffic = 0;                    ///< bytes that all ranks read and write, in all
};

/// `blocks`: of each rank.
PeerSchedule peer_schedule(const DeviceSchedule& schedule, const PeerOptions& options, int blocks);

}  // namespace arlab::collectives
