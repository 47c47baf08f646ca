// Job ranks: how many ranks a job really had, where its record counts its nodes only.
//
// PICO skips sizes with fewer elements than ranks for algorithms that cut the vector into one part
// per rank. A job that ran other algorithms at a size, but none of these, had more ranks than that
// size has elements. (PICO records several ranks per node since 8 April 2025, commit 1a6be33.)
#pragma once

#include <vector>

#include "bench/validation/published/published_time.hpp"

namespace arlab::bench {

/// Returns the rows with the ranks per node of calibration jobs whose sizes show that there were
/// more than recorded: the least power of two of them. Only sizes are looked at, not times.
std::vector<PublishedTime> with_ranks_of_sizes(std::vector<PublishedTime> rows);

}  // namespace arlab::bench
