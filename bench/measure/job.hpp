// Job: the ranks that run for real: all of an MPI job, or those that this process has alone.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "bench/measure/target.hpp"
#include "collectives/gpu/staged_executor.hpp"

namespace arlab::bench {

/// Whether this process is rank 0 of a job or alone, by the environment that mpirun and srun set.
bool speaks_by_environment();

/// The job this process is part of: all ranks of an MPI job, or this process alone.
class Job {
 public:
  Job();
  ~Job();
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  /// The backend to use where none was asked for: mpi under mpirun, else threads.
  std::string_view default_backend() const;
  /// The job's ranks with mpi, 0 where there is no job.
  Rank ranks() const;
  /// What the backend's ranks are on the host: "mpi", processes of a job, or "threads" of this one.
  std::string_view host_backend(std::string_view backend) const;
  /// The ranks to use where none were asked for.
  Rank default_ranks(std::string_view backend) const;
  /// The job's ranks that share a machine, as groups_by_machine() tells; null where there is no
  /// job. All ranks call it together.
  std::shared_ptr<const Groups> groups() const;
  /// Whether this process prints and writes files: rank 0.
  bool speaks() const;
  /// Throws Error(usage) if the backend is off here, or cannot have so many ranks.
  void check(std::string_view backend, Rank ranks) const;
  /// Runs `body` once in each process or thread that has ranks, after check(). `name`: of the
  /// backend, with how it went about it where there are several ways.
  void run(std::string_view backend, Rank ranks,
           const std::function<void(BenchmarkTarget&, const std::string& name)>& body);
  /// The same with the communicators themselves, for backends whose ranks have their vectors in
  /// this process's memory. Throws Error(usage) for the others.
  void run_on_host(std::string_view backend, Rank ranks,
                   const std::function<void(collectives::Communicator&)>& body);
  /// The same for training, whose vectors are in this process's memory with every backend: where
  /// there is a GPU a rank, they travel between those, through `gpus`; else that is null. Throws
  /// Error(usage) for virtual ranks.
  void run_training(std::string_view backend, Rank ranks,
                    const std::function<void(collectives::Communicator&,
                                             collectives::StagedExecutor* gpus)>& body);
  /// Ends all ranks of the job, at once.
  [[noreturn]] void leave(int code);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Runs `body` in the job that this process is part of, and returns the exit code it gives. A rank
/// that fails while others wait for it ends them all.
int in_job(const std::function<int(Job&)>& body);

}  // namespace arlab::bench
