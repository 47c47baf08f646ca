// TuningRule: which of NCCL's algorithms, protocols and channels a collective takes, by size and
// ranks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "collectives/plugins/nccl/abi.hpp"
#include "collectives/plugins/tuning_table.hpp"

namespace arlab::collectives {

struct TuningRule {
  nccl_abi::Function function = nccl_abi::Function::all_reduce;
  std::int64_t min_bytes = 0, max_bytes = -1;      ///< inclusive; -1: no end
  int algorithm = 0, protocol = 0;                 ///< positions in the names of abi.hpp
  int channels = -1;                               ///< -1: NCCL's own, also as a protocol
  int nodes = -1, pipe_ops = -1, registered = -1;  ///< -1: any
  std::int64_t min_ranks = 0, max_ranks = -1;      ///< inclusive; -1: no end
};

/// What NCCL asks about.
struct TuningQuestion {
  nccl_abi::Function function = nccl_abi::Function::all_reduce;
  std::int64_t bytes = 0;
  int nodes = 1, ranks = 1, pipe_ops = 1, registered = 0;
};

/// Reads the lines of NCCL's example tuner, without its gaps: `collective,min_bytes,max_bytes,
/// algorithm,protocol,channels,nodes,ranks[,pipe_ops[,registered]]`,
/// where `#` begins a comment and -1 means any. Throws Error(usage) that names `file`, line and
/// value for a name that NCCL lacks, a range that is empty, or fields that are missing or too many.
std::vector<TuningRule> read_tuning_table(std::string_view text, std::string_view file);

/// Returns the choices of a table that NCCL has: "ring", and "double_tree", its tree. Protocols and
/// channels are NCCL's own, and so are all other choices.
std::vector<TuningRule> nccl_rules_of(const TuningTable& table);

/// Returns the first rule that fits; null if none does.
const TuningRule* find_rule(const std::vector<TuningRule>& rules, const TuningQuestion& question);

}  // namespace arlab::collectives
