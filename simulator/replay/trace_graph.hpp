// TraceGraph: what every rank of a traced program does, and in which order: sends, receives and
// computations, as graphs of dependencies.
#pragma once

#include <cstdint>
#include <vector>

#include "algorithms/base/time.hpp"
#include "algorithms/base/types.hpp"

namespace arlab::simulator {

inline constexpr Rank kAnySource = -1;

struct Operation {
  enum class Kind : std::uint8_t { send, receive, compute };
  Kind kind = Kind::compute;
  Rank peer = 0;    ///< of a receive also kAnySource
  Bytes bytes = 0;  ///< of a message
  Count tag = 0;    ///< the k-th send from a to b with a tag matches the k-th such receive
  Time duration{};  ///< of a computation
  std::int32_t processor = 0;  ///< of a computation; those of different ones overlap
  Count line = 0;              ///< of the trace, for error messages
  bool operator==(const Operation&) const = default;
};

/// `later` starts when `earlier` has ended, or with it.
struct Dependency {
  std::uint32_t earlier = 0, later = 0;  ///< operations of the rank
  bool with_start = false;
  bool operator==(const Dependency&) const = default;
};

struct RankGraph {
  std::vector<Operation> operations;
  std::vector<Dependency> dependencies;
  bool operator==(const RankGraph&) const = default;
};

struct TraceGraph {
  std::vector<RankGraph> ranks;
  /// If not 0, a tag is channel + channels * piece of what takes turns (algorithms/turn.hpp).
  std::int32_t channels = 0;
  bool operator==(const TraceGraph&) const = default;
};

}  // namespace arlab::simulator
