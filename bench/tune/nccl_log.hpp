// NCCL's log: which algorithm and protocol it took for each size, beside what its estimates choose
// and what the table of a tuner plugin would change.
//
// With NCCL_DEBUG=INFO and NCCL_DEBUG_SUBSYS=INIT,TUNING NCCL writes "AllReduce: 1024 Bytes -> Algo
// RING proto LL"; before 2.26 with numbers in place of names, and with TRACE builds only. Since
// 2.24 the bytes of an AllGather or a ReduceScatter are those of one rank; these lines end in
// channels.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/problem.hpp"
#include "bench/results/record.hpp"
#include "collectives/plugins/nccl/table.hpp"
#include "simulator/nccl/machine.hpp"

namespace arlab::bench {

/// One collective and size of a log, and what NCCL took for it.
struct LoggedChoice {
  Collective collective = Collective::allreduce;
  Count bytes = 0, calls = 0;
  bool of_one_rank = false;  ///< the bytes: compare_with_model makes them those of the vector
  std::string took;          ///< "ring ll"
  std::string estimated;     ///< what NCCL's estimates choose; empty without a model
  double took_us = 0;        ///< by these estimates; 0 if NCCL could not take it
  double estimated_us = 0;
  std::string tuned;  ///< what the plugin's table takes; empty without a rule
};

struct NcclLog {
  std::vector<LoggedChoice> choices;  ///< by collective and size
  int version = 0;                    ///< 0: the log does not say
  /// Of the largest communicator, which choices are compared for; 0: the log does not say.
  Rank nodes = 0, ranks_per_node = 0;
  Rank uneven = 0;       ///< ranks of the largest whose nodes have different numbers of them
  bool several = false;  ///< communicators of different sizes: choices do not say of which they are
  /// Calls without a choice that has a model, by name: "Reduce", "AllReduce [Symmetric]".
  std::map<std::string, Count> left_out = {};
};

/// Reads the lines about choices, versions, and communicators; ignores all others. Throws
/// Error(usage) that names `file`, and what is left out, if it has no choice.
NcclLog read_nccl_log(std::string_view text, const std::string& file);

/// Fills in what the estimates choose on this machine, and what the table changes. Bytes of one
/// rank become those of the vector, by the machine's ranks.
void compare_with_model(NcclLog& log, const simulator::nccl::Machine& machine,
                        const std::vector<collectives::TuningRule>& rules);

/// Returns what NCCL took, without estimates: of uneven nodes, which no machine of the model has.
std::string taken_table(const NcclLog& log);
std::string nccl_log_table(const NcclLog& log, const simulator::nccl::Machine& machine);
Json to_json(const LoggedChoice& choice, const simulator::nccl::Machine& machine);

}  // namespace arlab::bench
