// Logged calls: rows of logs, or of our own runs of NCCL, as calls that NCCL's models predict.
#pragma once

#include <optional>
#include <vector>

#include "bench/results/result_file.hpp"
#include "bench/validation/nccl/rows.hpp"

namespace arlab::bench {

/// What the user says of the machine that logs are of.
struct LoggedMachine {
  std::optional<simulator::nccl::Machine> machine = {};  ///< else what the log names
  bool has_version = false;  ///< that of the machine counts, not the log's
};

struct LoggedCalls {
  std::vector<NcclRow> rows;         ///< of split unfitted
  std::vector<std::string> skipped;  ///< why each other record is none of NCCL's calls here
};

/// Throws nothing: a record whose machine has no size or no name is skipped with the reason and
/// what to add.
LoggedCalls logged_calls(const Results& results, const LoggedMachine& given);

}  // namespace arlab::bench
