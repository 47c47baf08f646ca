// replay: runs a traced program on a network model.
//
// An operation starts as soon as its dependencies allow. Computations of a rank share one processor
// with what messages cost there. An empty message takes as long as one byte.
#pragma once

#include <vector>

#include "simulator/network.hpp"
#include "simulator/replay/trace_graph.hpp"

namespace arlab::simulator {

struct ReplayResult {
  Time finish{};                ///< when the last operation ends
  std::vector<Time> finish_of;  ///< of each rank
  Count messages = 0;
  Bytes bytes = 0;  ///< in all messages
};

/// Replays the trace on `network`, which must be new and have as many ranks. Throws Error(usage) if
/// a send or a receive has no partner or an operation is not there, Error(check) if operations wait
/// for one another.
ReplayResult replay(const TraceGraph& trace, Network& network);

}  // namespace arlab::simulator
