// Patience: how long a rank waits while nothing moves; and Stalled, the error when it gives up.
#pragma once

#include <functional>
#include <string>

#include "algorithms/base/error.hpp"

namespace arlab::collectives {

struct Patience {
  /// Without any progress; 0: forever. A wait for n bytes may take one second per MiB longer.
  double seconds = 300;
  /// Is called with a sentence when ranks wait that long for one that is alive but does not
  /// communicate; may be empty. It is called from another thread.
  std::function<void(const std::string&)> note = {};
};

/// How long ranks wait for one another while MPI or NCCL start: no less than a minute, unless
/// forever. On a loaded machine that takes longer than a short patience, and no rank is missing.
double start_patience(double seconds);

/// A rank gives up: a peer is missing, or ranks wait for one another.
class Stalled : public Error {
 public:
  explicit Stalled(const std::string& what) : Error(Blame::environment, what) {}
};

/// Calls `use`. If it stalls, says what it did: "ring allreduce, round 3: rank 2 has not
/// responded".
template <class Use, class Doing>
decltype(auto) naming(Use use, Doing doing) {
  try {
    return use();
  } catch (const Stalled& stalled) {
    throw Stalled(doing() + ": " + stalled.what());
  }
}

/// Calls `use`. If it stalls, adds what `state()` says then.
template <class Use, class State>
decltype(auto) explaining(Use use, State state) {
  try {
    return use();
  } catch (const Stalled& stalled) {
    throw Stalled(stalled.what() + state());
  }
}

/// Returns "5 s" or "1.5 s".
std::string seconds_text(double seconds);

}  // namespace arlab::collectives
