// PluginRanks: what the drop-in library keeps per MPI communicator: a duplicate for its messages,
// and plans.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "algorithms/groups.hpp"
#include "collectives/communicator.hpp"
#include "collectives/host/plan_cache.hpp"
#include "collectives/mpi/watch.hpp"

namespace arlab::collectives {

class PluginRanks {
 public:
  /// Duplicates `comm`, which has one group: all its ranks call it together.
  explicit PluginRanks(MPI_Comm comm);

  /// Returns why the algorithm cannot run on these ranks; empty if it can.
  std::string why_not(const Algorithm& algorithm, Count elements) const;

  /// Runs an allreduce; null `from` means in place. All ranks call it together.
  void allreduce(const Algorithm& algorithm, const std::byte* from, std::byte* into, Count elements,
                 Operand operand, int segments = 1);
  void broadcast(const Algorithm& algorithm, Rank root, std::byte* data, Count bytes, int segments);
  /// In place at the root; what the others have there changes.
  void reduce(const Algorithm& algorithm, Rank root, std::byte* data, Count elements,
              Operand operand, int segments);

 private:
  Problem problem(Count elements) const;

  Watch watch_;
  std::unique_ptr<Communicator> communicator_;
  std::shared_ptr<const Groups> groups_;
  PlanCache plans_;
};

extern std::atomic<std::uint64_t> freed_communicators;

/// Returns how many communicators with such a state, with SharedRanks, or known to
/// forget_when_freed(), have been
/// freed: a handle may then be another one.
inline std::uint64_t communicators_freed() {
  return freed_communicators.load(std::memory_order_relaxed);
}

/// Whether MPI_Finalize has begun, in a process that has had PluginRanks: what it frees may not
/// call MPI any more.
bool job_ends();

/// Has communicators_freed() count this communicator, too. Each rank may call it alone.
void forget_when_freed(MPI_Comm comm);

/// Why the library runs.
inline constexpr const char *kIntercommunicator = "mpi: an intercommunicator",
                            *kSeveralJobs = "mpi: ranks of several jobs";

/// Whether all ranks of an intracommunicator are of this MPI_COMM_WORLD, which all of them answer
/// alike. Those that MPI_Comm_spawn() started may have other settings, or not this library.
bool is_of_this_job(MPI_Comm comm);

/// Returns the state of a communicator, made in the first call, which all ranks make together; null
/// for an intercommunicator, and for ranks of several jobs.
PluginRanks* plugin_ranks(MPI_Comm comm);

}  // namespace arlab::collectives
