// The schedule of a configuration as JSON, in the vocabulary of the programs.
#pragma once

#include "bench/config/config.hpp"
#include "bench/results/record.hpp"

namespace arlab::bench {

/// Returns lanes[].ranks[].rounds[] of {action, peer, chunk, chunks} (docs/reference/records.md).
Json schedule_json(const Config& config);

}  // namespace arlab::bench
