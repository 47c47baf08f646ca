// Emulated ranks: every rank is a thread of this process on a simulated network in simulated time.
//
// Code for threads or MPI runs here unchanged, with the same bytes. Messages take the time of the
// simulator's network; computation takes the duration that the caller declares
// (Clock::begin_compute). Everything else takes no time, so that a run has the same times on every
// machine, to the picosecond.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "collectives/communicator.hpp"
#include "simulator/network.hpp"

namespace arlab::training {

inline constexpr Rank kMaxEmulatedRanks = 1024;

struct EmulationOptions {
  /// Factors on the durations of a rank's computations and reductions, by rank. Empty: all 1.
  std::vector<double> slowdown = {};
  /// Maximum random extra time of a computation, as a fraction of its duration.
  double jitter = 0;
  std::uint64_t seed = 0;
};

struct EmulationResult {
  Time finish{};                ///< end of the last rank
  std::vector<Time> finish_of;  ///< end of each rank
  Count events = 0;             ///< events of the network
  Count turns = 0;              ///< handovers of the run token
};

/// Runs `body` once per rank, each on its own thread, and returns when all have ended. The network
/// must be fresh and have the given number of ranks. The first exception in any rank ends the others
/// at their next wait, barrier, max or sum, and is rethrown here. Throws Error(check) on a deadlock,
/// listing which rank waits for which message, and for messages that nobody received; Error(usage)
/// for invalid options; Error(environment) if the system cannot start the threads.
EmulationResult on_emulated_ranks(simulator::Network& network, Rank ranks,
                                  const std::function<void(collectives::Communicator&)>& body,
                                  const EmulationOptions& options = {});

}  // namespace arlab::training
