// mpi: every rank is a process of an MPI job. Plain MPI-3; works with Open MPI and MPICH.
//
// mpi.h is included in this folder's .cpp files only.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "collectives/communicator.hpp"
#include "collectives/patience.hpp"

namespace arlab::collectives {

class Watch;

/// Initializes and finalizes the MPI library. At most one per process, on the main thread.
///
/// A rank that fails must call abort(), or the others wait for it forever. So main() creates its
/// Mpi first and catches exceptions within its lifetime. An Mpi that an exception destroys ends the
/// job as well, but cannot report why.
class Mpi {
 public:
  /// Throws Error(environment) if MPI does not start. Once no rank has made progress for the time
  /// of `patience`, waiting ranks throw Stalled; `stop(text)` is called, in another thread, if a
  /// rank stalls in a call that cannot be interrupted, and must end the process.
  explicit Mpi(Patience patience = {}, std::function<void(const std::string&)> stop = stop_process)
      : Mpi(std::move(patience), std::move(stop), Start::own) {}

  /// The same in a process whose MPI may run already, as under mpi4py: then this object neither
  /// initializes nor finalizes it. Throws Error(environment) if that MPI does not allow another
  /// thread to call it (MPI_THREAD_SERIALIZED).
  static std::unique_ptr<Mpi> join(Patience patience,
                                   std::function<void(const std::string&)> stop = stop_process);
  ~Mpi();
  Mpi(const Mpi&) = delete;
  Mpi& operator=(const Mpi&) = delete;

  /// Whether mpirun, mpiexec or srun started this process as a rank of a job.
  static bool launched();
  /// Whether MPI has been initialized in this process, by whomever, and not finalized.
  static bool runs();

  /// The library and its version, such as "Open MPI v4.1.4". Needs no Mpi object.
  static std::string library();

  /// Set the environment of the library, before an Mpi object starts it, so that its algorithms can
  /// be chosen, or its messages are counted. What the user has set stays.
  static void prepare_algorithms();
  static void prepare_message_counts();

  /// All ranks of the job; within on_first(), some. MPI's errors become Error(environment) with
  /// MPI's text. A lane or a message that MPI cannot count throws Error(usage).
  Communicator& world();

  /// Calls `body` on the first `ranks` ranks, which are the world meanwhile. The others rest until
  /// it has returned everywhere. All ranks call it together.
  void on_first(Rank ranks, const std::function<void()>& body);

  /// The position of this rank among those that share its machine's memory.
  Rank local_rank() const;

  /// Ends all ranks of the job at once, with this exit code.
  [[noreturn]] void abort(int code);

  /// Prints the error and ends this process, upon which the launcher ends the others.
  static void stop_process(const std::string& text);

 private:
  enum class Start { own, join };
  Mpi(Patience patience, std::function<void(const std::string&)> stop, Start start);

  std::unique_ptr<Watch> watch_;
  std::unique_ptr<Communicator> world_;
  int exceptions_;
  bool finalizes_ = true;
};

}  // namespace arlab::collectives
