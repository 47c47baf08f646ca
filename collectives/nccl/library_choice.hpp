// An algorithm and a protocol of NCCL's own allreduce, as its variables NCCL_ALGO and NCCL_PROTO
// name them.
//
// NCCL reads both when a communicator is made (src/graph/tuning.cc of NCCL), so each choice has a
// communicator of its own. Before 2.24 NCCL takes another algorithm where it cannot run the one
// that it was given; from then on it refuses the call: as ncclInvalidUsage while either variable is
// set, else as ncclInternalError.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace arlab::collectives {

struct NcclChoice {
  std::string algorithm;
  std::string protocol;  ///< empty: NCCL decides
};

/// Those that NCCL has for an allreduce. Throws Error(environment) for a version of NCCL that may
/// run another one than it was given; 22809 is 2.28.9.
std::vector<std::string> nccl_algorithms(int version);

/// Reads "ring" or "ring:proto=ll128". Throws Error(usage) with all names for another one.
NcclChoice parse_nccl_choice(const std::string& spec);

/// Sets NCCL's variables for a while. Every rank of a process has one, and all set the same choice:
/// between their begins, their calls of set() and of restore(), and what reads the environment, a
/// barrier has to be.
class ChoiceInEnvironment {
 public:
  ChoiceInEnvironment();
  ~ChoiceInEnvironment() { restore(); }
  ChoiceInEnvironment(const ChoiceInEnvironment&) = delete;
  ChoiceInEnvironment& operator=(const ChoiceInEnvironment&) = delete;

  void set(const NcclChoice& choice);
  /// The variables become what they were.
  void restore();

 private:
  std::array<std::pair<const char*, std::optional<std::string>>, 2> before_;
};

}  // namespace arlab::collectives
