// virtual_ranks: every rank is a thread of this process, on a simulated network, in virtual time.
//
// Whatever runs on threads or MPI runs here unchanged, with the same bytes; how long a message
// takes is what the simulator's network says, and how long a computation takes is what it says
// itself (Clock::leave). Nothing else takes any time, so that the same run on another machine has
// the same times to the picosecond.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "collectives/communicator.hpp"
#include "simulator/network.hpp"

namespace arlab::training {

inline constexpr Rank kMaxEmulatedRanks = 1024;

struct EmulationOptions {
  /// By rank: what it computes and reduces takes so many times as long. Empty: 1 for all.
  std::vector<double> slowdown = {};
  /// What a rank computes takes up to so much of its time again, drawn anew each time.
  double jitter = 0;
  std::uint64_t seed = 0;
};

struct EmulationResult {
  Time finish{};              ///< when the last rank has ended
  std::vector<Time> finish_of;  ///< of each rank
  Count events = 0;             ///< of the network
  Count turns = 0;              ///< how often a thread was given its turn
};

/// Runs `body` once for every rank, each on its own thread, and returns when all have ended. The
/// network must be fresh and have as many ranks. The first exception in any rank ends the others at
/// their next wait, barrier, max or sum, and is rethrown here. Throws Error(check) if the ranks
/// wait for one another, naming who waits for what, or leave messages that nobody takes;
/// Error(usage) for options that are none, Error(environment) if the system refuses so many
/// threads.
EmulationResult on_emulated_ranks(simulator::Network& network, Rank ranks,
                                  const std::function<void(collectives::Communicator&)>& body,
                                  const EmulationOptions& options = {});

}  // namespace arlab::training
