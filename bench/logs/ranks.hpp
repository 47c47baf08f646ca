// How many ranks a table of nccl-tests is of, by its numbers alone.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "bench/logs/nccl_rows.hpp"

namespace arlab::bench {

/// Numbers of ranks from the first to the second, both included.
using RankRange = std::pair<Rank, Rank>;
inline constexpr Rank kMostLoggedRanks = 1 << 22;

/// Returns the numbers of ranks that a row can be of: busbw is algbw times 2 (n - 1) / n of an
/// allreduce, (n - 1) / n of a reduce_scatter or an all_gather, whose size is n times the count.
RankRange possible_ranks(const NcclLogRow& row, Collective collective);

/// Returns the numbers that fit most rows: one if the rows agree and say enough.
RankRange likely_ranks(const NcclRows& rows, Collective collective);

/// Returns the ends of a range, for messages: "16", "1388 to 1492", "any number".
std::string to_text(const RankRange& range);

}  // namespace arlab::bench
