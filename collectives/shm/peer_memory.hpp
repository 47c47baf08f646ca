// PeerMemory: copies from the memory of other processes of this machine, without their help.
//
// Linux allows process_vm_readv to processes of the same user, unless Yama's ptrace_scope or a
// sandbox forbids it. So it is tried first.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "algorithms/problem.hpp"

namespace arlab::collectives {

class PeerMemory {
 public:
  /// Tries to read from every other rank of `machine`. All of them call it together.
  explicit PeerMemory(MPI_Comm machine);

  /// Returns why some rank cannot read from another; empty if all can. The same on all ranks.
  const std::string& why_not() const { return why_not_; }

  /// Copies from `address` in the memory of a rank of `machine`. Throws Error(environment) if that
  /// process has ended.
  void read(Rank rank, std::uint64_t address, std::byte* into, std::size_t bytes) const;

 private:
  std::vector<long> processes_;  // by rank
  std::vector<int> job_ranks_;   // for messages
  std::string why_not_;
};

}  // namespace arlab::collectives
