// StallDetector: the decisions of a Watch, without threads or clocks.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "collectives/mpi/presence.hpp"

namespace arlab::collectives {

class StallDetector {
 public:
  /// One rank of this machine at a tick.
  struct Seen {
    Rank rank = 0;
    std::uint64_t beats = 0, progress = 0;
    Activity activity = Activity::other;
  };

  enum class Kind {
    none,
    missing,   ///< ranks do not beat
    deadlock,  ///< all ranks of the job wait for one another
    silence,   ///< ranks of other machines, which cannot be seen, send nothing
    slow,      ///< ranks beat, but do not communicate: not an error
  };
  struct Verdict {
    Kind kind = Kind::none;
    std::vector<Rank> ranks = {};  ///< that are missing or slow
    int waited = 0;                ///< ticks
  };

  /// `limit`: ticks without progress. `hold`: ticks to wait for another rank that is about to end
  /// the job. `own`: position of this rank among those seen.
  StallDetector(int limit, int hold, std::size_t own, Rank job_ranks)
      : limit_(limit), hold_(hold), own_(own), job_ranks_(job_ranks) {}

  /// Is called once per tick. `extra`: ticks that this wait may take longer.
  Verdict tick(std::span<const Seen> seen, int extra);

 private:
  struct Known {
    std::uint64_t beats = 0, progress = 0;
    int silent = 0;  // ticks without a beat
    int idle = 0;    // ticks of a wait without progress
  };

  void update(std::span<const Seen> seen);
  bool is_missing(const Seen& rank, const Known& known) const {
    return known.silent >= limit_ && rank.activity != Activity::ended;
  }
  bool another_fails(std::span<const Seen> seen) const;
  int ranks_before(std::span<const Seen> seen) const;
  Verdict decide(std::span<const Seen> seen, int extra);

  int limit_, hold_;
  std::size_t own_;
  Rank job_ranks_;
  std::vector<Known> known_;
  int longest_wait_ = 0;  // of this rank, that ended
  int held_ = 0;          // ticks
  int next_note_ = 0;     // idle ticks
};

}  // namespace arlab::collectives
