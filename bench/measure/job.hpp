// Job: the processes that run a benchmark or a training, and the rules for backends and ranks
// there.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "algorithms/groups.hpp"
#include "collectives/backends/backend.hpp"

namespace arlab::bench {

/// The job this process is part of: all ranks of an MPI job, or this process alone.
class Job {
 public:
  using Backend = collectives::Backend;

  /// `patience`: of the ranks of an MPI job. `passes_on`: see in_job().
  explicit Job(const collectives::Patience& patience = {}, bool passes_on = false)
      : job_(patience), passes_on_(passes_on) {}

  /// The backend of that name; if it is empty, the default one here. Throws Error(usage).
  const Backend& backend(const std::string& name) const;
  /// Number of ranks of the MPI job; 0 outside of a job.
  Rank ranks() const { return job_.ranks(); }
  /// The rank of this process in the MPI job; 0 outside of a job.
  Rank rank() const { return job_.ranks() == 0 ? 0 : job_.world().rank(); }
  /// Where the backend's ranks run here.
  collectives::Placement placement(const Backend& backend) const {
    return collectives::placement_in(job_, backend);
  }
  /// The number of ranks to use if none was asked for.
  Rank default_ranks(const Backend& backend) const;
  /// The job's ranks that share a machine; null outside of a job (see groups_by_machine()). All
  /// ranks call it together.
  std::shared_ptr<const Groups> groups() const;
  /// Whether this process prints and writes files: rank 0.
  bool is_root() const { return job_.ranks() == 0 || job_.world().rank() == 0; }
  /// Throws Error(environment) if the backend is unavailable, Error(usage) if it cannot have that
  /// number of ranks here.
  void check(const Backend& backend, Rank ranks) const;
  /// Runs `body` once in each process or thread that has ranks, after check().
  void run(const Backend& backend, const collectives::RunOptions& options,
           const Backend::Body& body);
  /// Calls `body` on the first `ranks` ranks of an MPI job, which are the job meanwhile. All ranks
  /// call it together. Elsewhere, it only calls it.
  void on_first(Rank ranks, const std::function<void()>& body) { job_.on_first(ranks, body); }
  /// Throws Error(usage) on all ranks if they do not have the same plan: `plan` describes what this
  /// rank is about to do, `command` is its command line. All ranks of the job call it together.
  void expect_same(const std::string& plan, const std::string& command) const;
  /// Calls `plan`, which returns a text for expect_same(), on all ranks together; it must not
  /// communicate. If errors are passed on, and it throws the same on all ranks, in_job() throws it.
  void agree(const std::function<std::string()>& plan, const std::string& command);
  bool fails_alike() const { return fails_alike_; }
  /// Ends all ranks of the job, at once.
  [[noreturn]] void leave(int code) { job_.end(code); }

 private:
  collectives::Job job_;
  bool passes_on_;
  bool fails_alike_ = false;
};

/// Joins the names of all backends that `use` accepts: "nccl or mpi-cuda".
std::string backend_names(const std::function<bool(const collectives::Backend&)>& use,
                          std::string_view conjunction = " or ");

/// Runs `body` in the job that this process is part of, and returns its exit code. A rank that
/// fails while others wait for it ends them all. `passes_on`: an Error that all ranks have alike
/// in agree() is thrown on all.
int in_job(const std::function<int(Job&)>& body, const collectives::Patience& patience = {},
           bool passes_on = false);

}  // namespace arlab::bench
