// Which send of a trace belongs to which receive.
#pragma once

#include <cstdint>
#include <vector>

#include "simulator/replay/trace_graph.hpp"

namespace arlab::simulator {

inline constexpr std::uint32_t kNoOperation = ~std::uint32_t{0};

/// Returns the number of each rank's first operation when all are counted rank by rank, and their
/// sum. Throws Error(usage) if there are no ranks, or too many operations.
std::vector<std::uint32_t> first_operations(const TraceGraph& trace);

/// Returns for each send its receive, and the reverse; kNoOperation for computations, receives from
/// any source, and the sends that are left for those. Throws Error(usage) for a message without its
/// other end or from a rank to itself.
std::vector<std::uint32_t> match_messages(const TraceGraph& trace,
                                          const std::vector<std::uint32_t>& first);

}  // namespace arlab::simulator
