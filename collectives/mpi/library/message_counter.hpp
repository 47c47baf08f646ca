// MessageCounter: the messages and bytes that this rank has sent to each rank of the job, as the
// MPI library counts them, with those of its own collectives. Open MPI's component pml_monitoring
// counts.
#pragma once

#include "collectives/communicator.hpp"
#include "collectives/mpi/library/tool_variables.hpp"

namespace arlab::collectives {

class MessageCounter {
 public:
  explicit MessageCounter(Rank ranks);

  /// Sets the environment of the library, before it starts, so that it counts; what the user has
  /// set stays.
  static void prepare();

  /// Throws Error(environment) with a remedy if the library does not count.
  SentMessages read() const;

 private:
  ToolVariables tools_;
  RankCounters messages_, bytes_;
};

}  // namespace arlab::collectives
