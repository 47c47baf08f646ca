// Critical path: what the finish of a simulated run hangs on: a chain of sends, messages and
// reductions without a gap, from time 0 to the finish.
//
// It is read from the trace, backwards: what ended when this began? A rank's round begins when its
// last one is done; a message leaves when its round is there, the port is free and, on a
// synchronous network, its receive is posted; it is received when it is there and the receiver is
// free. Where several things ended at once, each would do; the rank's own work is preferred.
#pragma once

#include <string_view>
#include <vector>

#include "simulator/trace.hpp"

namespace arlab::simulator {

struct CriticalStep {
  enum class Kind : std::uint8_t {
    send,     ///< the rank is busy sending, and its next round waits for that
    message,  ///< on the way from `rank` to `to`
    receive,  ///< the rank is busy receiving
    reduce,   ///< the rank adds
    post,     ///< takes no time: `rank` is ready at last, which `to` has waited for
    wait,     ///< the port rests between two messages
  };
  Kind kind = Kind::wait;
  Rank rank = 0;
  Rank to = 0;  ///< the rank that the chain goes on with
  std::int32_t lane = 0;
  Count round = 0;
  std::int64_t message = -1;
  Time begin{}, end{};
};
std::string_view name(CriticalStep::Kind kind);

struct CriticalPath {
  std::vector<CriticalStep> steps;  ///< in order of time: each ends where the next begins
  Time length() const { return steps.empty() ? Time{} : steps.back().end - steps.front().begin; }
  /// Time spent in steps of this kind.
  Time spent(CriticalStep::Kind kind) const;
};

/// Of the trace of one whole run; `finish` is its Outcome's. Empty for an empty trace.
CriticalPath critical_path(const Trace& trace, Time finish);

}  // namespace arlab::simulator
