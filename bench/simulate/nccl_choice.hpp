// NCCL's own collectives, as its cost model sees them: a row per algorithm and protocol, and which
// one NCCL takes.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "bench/simulate/command.hpp"
#include "simulator/nccl/choice.hpp"

namespace arlab::bench {

/// Of one machine, size, algorithm, and protocol.
struct NcclEstimate {
  std::string machine, collective, dtype, op, algorithm, protocol;
  Rank nodes = 1, ranks_per_node = 1;
  Count bytes = 0;
  int channels = 0;
  double latency_us = 0, bandwidth = 0, us = 0;
  bool chosen = false;
  std::string skipped;  ///< why NCCL does not consider it; empty if it does
};

struct NcclEstimates {
  std::vector<NcclEstimate> rows;
  std::vector<std::string> crossovers;  ///< a sentence per number of GPUs
};

/// Whether the words ask for NCCL's own collectives on the network nccl. Throws Error(usage) if
/// only one of both does.
bool asks_for_nccl(const std::vector<std::string>& words, const ModelOptions& model);

NcclEstimates estimate_nccl(const SweepOptions& options, const ModelOptions& model);

std::string table_of(const NcclEstimates& estimates);
nlohmann::ordered_json to_json(const NcclEstimate& row);

}  // namespace arlab::bench
