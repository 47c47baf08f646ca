// Job: the MPI job that this process is a rank of, or this process alone.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "collectives/communicator.hpp"
#include "collectives/patience.hpp"

namespace arlab::collectives {

/// Returns why MPI cannot be used here, and a remedy; empty if it can.
std::string why_no_mpi();
/// The MPI library's name and version; empty if the build has no MPI.
std::string mpi_library();

/// Set the environment of the MPI library, before a Job starts it: so that the algorithms of its
/// own allreduce can be chosen, or its messages are counted. What the user has set stays.
void prepare_library_algorithms();
void prepare_message_counts();

/// For processes that have several Jobs, one after another: starts MPI if a launcher started this
/// process and nobody has started it; end_mpi() ends it then, after the last Job.
void keep_mpi();
void end_mpi();

/// At most one at a time, on the main thread. Starts MPI if a launcher started this process, and
/// ends it; where MPI runs already, it joins.
class Job {
 public:
  /// `patience`: of the ranks of an MPI job, see Mpi.
  explicit Job(const Patience& patience = {});
  ~Job();
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  /// Number of processes of the job; 0 outside of a job.
  Rank ranks() const;
  /// All processes of the job. Throws Error(usage) outside of a job.
  Communicator& world() const;
  /// Calls `body` on the first `ranks` processes, which are the job meanwhile; the others rest.
  /// Outside of a job, only calls it. All processes call it together.
  void on_first(Rank ranks, const std::function<void()>& body);
  /// Position of this process among those on its machine. All processes call it together.
  Rank local_rank() const;
  /// Ends all processes of the job, at once.
  [[noreturn]] void end(int code);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace arlab::collectives
