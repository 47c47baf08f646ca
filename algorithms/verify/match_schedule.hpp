// walk: runs the programs of all ranks together, without time or data, and shows every meeting of
// two actions.
//
// Sends are rendezvous: a round is over when every one of its actions has met its counterpart in
// the peer's current round. That is the strictest execution an MPI library may choose, so programs
// that get through cannot deadlock in any. count and verify are two visitors of this one walk.
#pragma once

#include <functional>
#include <string>

#include "algorithms/algorithm.hpp"

namespace arlab {

/// Makes the program of one rank.
using Schedule = std::function<Program(Rank)>;

/// The schedule of an algorithm on one lane's problem.
Schedule schedule_of(const Algorithm& algorithm, const Problem& problem);

/// The first thing found wrong with a schedule.
struct Fault {
  enum class Kind {
    none,
    bad_peer,    ///< a peer that is no other rank
    bad_chunk,   ///< a chunk range that is empty or outside the vector
    hazard,      ///< one round overwrites a chunk that it also sends or receives
    unmatched,   ///< a message that the peer's program never takes part in
    mismatched,  ///< the two ends of a message name different chunks
    deadlock,    ///< ranks wait for one another in a circle
    unheld,      ///< sends or adds to a chunk that holds nothing
    doubled,     ///< a contribution would be added twice
    missing,     ///< a contribution is not there at the end
  };
  Kind kind = Kind::none;
  Rank rank = 0;
  Count round = 0;  ///< counted from 1 as people do; 0: not in a round
  Rank chunk = 0;   ///< the first chunk concerned
  std::string text;

  explicit operator bool() const { return kind != Kind::none; }
};
std::string_view name(Fault::Kind kind);

/// One end of a message: whose action, in which of its rounds, at which position in the round.
struct End {
  Rank rank = 0;
  Count round = 0;
  int position = 0;
  const Action* action = nullptr;
};

class Visitor {
 public:
  virtual ~Visitor() = default;
  /// A rank starts a round. A fault ends the walk.
  virtual Fault starts(Rank, Count /*round*/, Round) { return {}; }
  /// A send meets a receive; both ranks are still in the rounds given.
  virtual Fault meets(const End& /*send*/, const End& /*receive*/) { return {}; }
  /// All actions of the rank's round have met their counterparts. `step`: the length of the longest
  /// chain of rounds that ends with this one.
  virtual Fault ends(Rank, Count /*round*/, Count /*step*/, Round) { return {}; }
};

struct Walk {
  Fault fault;
  Count rounds = 0;  ///< longest chain of rounds, each starting after those it receives from
  std::vector<Count> rounds_of;  ///< of each rank, its own
};

Walk walk(const Problem& problem, const Schedule& schedule, Visitor& visitor);

}  // namespace arlab
