// Critical path: the gap-free chain of sends, transfers and reductions, from time 0 on, that
// determines the finish time of a simulated run.
//
// It is found backwards in the trace: which span ended when this one started? A rank's round starts
// when its last one is done. A message leaves when its round has started, the port is free and, on
// a synchronous network, its receive is posted. It is received when it has arrived and the receiver
// is free. If several spans ended at the same time, the rank's own work is preferred.
#pragma once

#include <string_view>
#include <vector>

#include "simulator/trace.hpp"

namespace arlab::simulator {

struct CriticalStep {
  enum class Kind : std::uint8_t {
    send,     ///< the rank is sending, and its next round waits for the end
    message,  ///< in transit from `rank` to `to`
    receive,  ///< the rank is receiving
    reduce,   ///< the rank adds
    post,     ///< takes no time: `to` has waited until `rank` was ready
    wait,     ///< the port is idle between two messages
  };
  Kind kind = Kind::wait;
  Rank rank = 0;
  Rank to = 0;  ///< the rank on which the chain continues
  std::int32_t lane = 0;
  Count round = 0;
  std::int64_t message = -1;
  Time begin{}, end{};
};
std::string_view name(CriticalStep::Kind kind);

struct CriticalPath {
  std::vector<CriticalStep> steps;  ///< in order of time: each ends where the next begins
  Time length() const { return steps.empty() ? Time{} : steps.back().end - steps.front().begin; }
  /// Returns the time spent in steps of this kind.
  Time spent(CriticalStep::Kind kind) const;
};

/// Returns the critical path of a whole run that ended at `finish`; empty for an empty trace.
CriticalPath critical_path(const Trace& trace, Time finish);

}  // namespace arlab::simulator
