// PresenceBoard: what the ranks of one machine show one another, in shared memory.
//
// Each process has a thread that counts its own beats there. A process that is stopped, frozen or
// gone does not beat; one that computes does. MPI alone cannot tell them apart.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/problem.hpp"
#include "collectives/place.hpp"

namespace arlab::collectives {

enum class Activity : std::uint32_t {
  other,    ///< computes, reads files, prints
  waiting,  ///< for messages
  failing,  ///< reports an error, and is about to end the job
  resting,  ///< while others work
  ended,
};

/// One rank, as it shows itself.
struct alignas(64) Presence {
  std::atomic<std::uint64_t> beats{0};
  std::atomic<std::uint64_t> progress{0};  ///< requests that it started or finished
  std::atomic<std::uint64_t> bytes{0};     ///< that it waits for
  std::atomic<Activity> activity{Activity::other};
  std::atomic<std::int32_t> process{0};
  Place place;  ///< written by the rank itself, the others by its watching thread
};

class PresenceBoard {
 public:
  /// All processes of the job call it together. If a machine has no shared memory, each of its
  /// ranks gets a board of its own.
  PresenceBoard();
  ~PresenceBoard();
  PresenceBoard(const PresenceBoard&) = delete;
  PresenceBoard& operator=(const PresenceBoard&) = delete;

  std::span<Presence> all() const { return {presences_, ranks_.size()}; }
  Presence& own() const { return presences_[own_]; }
  std::size_t own_index() const { return own_; }
  /// The rank of the job behind an entry.
  Rank rank_of(std::size_t index) const { return ranks_[index]; }
  Rank job_ranks() const { return job_ranks_; }

 private:
  void map(int descriptor);

  Presence* presences_ = nullptr;
  std::size_t bytes_ = 0, own_ = 0;
  std::vector<Rank> ranks_;  // on this machine
  Rank job_ranks_ = 1;
  Presence alone_;
};

}  // namespace arlab::collectives
