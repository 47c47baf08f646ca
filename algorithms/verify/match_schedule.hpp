// match_schedule: runs the programs of all ranks together, without time or data, and matches every
// send with its receive, and the actions of the members of each team (teams.hpp).
//
// Sends are rendezvous: a round ends when each of its actions has matched an action in the peer's
// current round. MPI allows no stricter execution, so programs that finish here never deadlock.
// count and verify are built on this one traversal.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "algorithms/algorithm.hpp"
#include "algorithms/round_limit.hpp"

namespace arlab {

/// Returns the program of one rank.
using Schedule = std::function<Program(Rank)>;

/// Returns the schedule of an algorithm on one lane's problem.
Schedule schedule_of(const Algorithm& algorithm, const Problem& problem);

/// The first error found in a schedule.
struct Fault {
  enum class Kind {
    none,
    bad_peer,    ///< the peer is the rank itself, or not a rank
    bad_chunk,   ///< the chunk range is empty or outside the vector
    hazard,      ///< one round overwrites a chunk that it also sends or receives
    unmatched,   ///< the peer's program ends without its side of a message
    mismatched,  ///< the two ends of a message name different chunks
    deadlock,    ///< ranks wait for one another in a cycle
    undefined,   ///< a rank sends or adds to a chunk of which it holds no value
    duplicate,   ///< a contribution would be added twice
    missing,     ///< a contribution is missing at the end
    endless,     ///< a program has more rounds than its limit
  };
  Kind kind = Kind::none;
  Rank rank = 0;
  Count round = 0;  ///< counted from 1; 0: not in a round
  Rank chunk = 0;   ///< the first affected chunk
  std::string text;
  std::string place = {};  ///< where the round is written, if the algorithm knows; also in `text`

  explicit operator bool() const { return kind != Kind::none; }
};
std::string_view name(Fault::Kind kind);

/// Adds to a fault where the algorithm says that its round is written, unless that is known.
void add_place(const Algorithm& algorithm, const Problem& problem, Fault& fault);

/// One end of a message: an action, its rank, the rank's round, and the position in the round.
struct End {
  Rank rank = 0;
  Count round = 0;
  int position = 0;
  const Action* action = nullptr;
};

/// Functions to call during the traversal; each may be empty. A fault ends the traversal.
struct MatchCallbacks {
  /// A rank starts a round.
  std::function<Fault(Rank, Count round, Round)> on_round_start;
  /// A send matches a receive; both ranks are still in the rounds given.
  std::function<Fault(const End& send, const End& receive)> on_match;
  /// The members of a team have their actions of one transfer, by rank; as above.
  std::function<Fault(std::span<const End> members)> on_team{};
  /// All actions of the rank's round are matched. `step`: the length of the longest chain of rounds
  /// that ends with this one.
  std::function<Fault(Rank, Count round, Count step, Round)> on_round_end;
};

struct MatchResult {
  Fault fault;
  Count rounds = 0;  ///< longest chain of rounds, each starting after those it receives from
  std::vector<Count> rank_rounds;  ///< each rank's own number of rounds
};

/// Matches one lane's schedule. A rank with more rounds than RoundLimit(problem.ranks) is a fault.
MatchResult match_schedule(const Problem& problem, const Schedule& schedule,
                           const MatchCallbacks& callbacks = {});
/// The same for an algorithm, within its own RoundLimit.
MatchResult match_schedule(const Algorithm& algorithm, const Problem& problem,
                           const MatchCallbacks& callbacks = {});

}  // namespace arlab
