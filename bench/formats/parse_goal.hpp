// GOAL: the text form of traces that LogGOPSim and ATLAHS simulate.
//
//   num_ranks 2
//   rank 0 {
//     l1: calc 1500              // nanoseconds
//     l2: send 1024b to 1 tag 7
//     l2 requires l1             // starts when l1 has ended; irequires: when it has started
//   }
//   rank 1 { l1: recv 1024b from 0 tag 7 }
//
// Hoefler, Siebert, Lumsdaine, Group Operation Assembly Language, ICPP 2009.
#pragma once

#include <string>
#include <string_view>

#include "simulator/replay/trace_graph.hpp"

namespace arlab::bench {

/// A file that begins with this comment and a number C has tags of channel + C * piece: the pieces
/// of a channel leave one after another (algorithms/turn.hpp), which GOAL itself does not say.
inline constexpr std::string_view kChannelsComment = "// channels ";

/// Whether the content begins as a GOAL file does, after comments.
bool is_goal(std::string_view content);

/// Reads a trace. Throws Error(usage) that names the file, the line and the word. Computations on
/// different `cpu`s overlap; what messages cost a rank is on cpu 0. A rank has one network port:
/// other numbers after `nic` than 0 are refused. A recv from 4294967295 is from any rank.
simulator::TraceGraph parse_goal(std::string_view content, const std::string& path);

}  // namespace arlab::bench
