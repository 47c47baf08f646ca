// Engine: the thread that runs the collectives of all process groups of a PyTorch process, over MPI.
//
// Python posts a task and continues; the thread runs the tasks in the order in which they were posted, which
// all ranks of a group share. What a task's `done` posts runs before the tasks that wait. Once a rank is
// missing, the engine has failed: every later task fails with the same message.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "collectives/mpi/mpi.hpp"
#include "training/plugins/torch/group_ranks.hpp"

namespace arlab::training {

class Engine {
 public:
  using Task = std::function<void()>;
  using Done = std::function<void(std::exception_ptr)>;

  /// Starts or joins MPI, on the calling thread. Ranks that wait longer than `patience` seconds without
  /// any progress give up. Throws Error(environment).
  explicit Engine(double patience);
  ~Engine();

  Rank world_rank();
  Rank world_ranks();

  /// Makes the communicator of a group; `members` are its ranks' ranks in the job. All members call it
  /// together. It lives as long as the engine.
  GroupRanks& add_group(const std::vector<Rank>& members, collectives::SizeRules rules);

  /// Runs the task in the engine's thread, then `done` with its error or null.
  void post(Task task, Done done);

  /// Runs the task in the calling thread, once all tasks before it have ended; the engine's thread waits.
  void run_alone(const Task& task);

 private:
  struct Posted {
    Task task;
    Done done;
  };
  bool on_its_thread() const;
  void run();
  void run_one(const Posted& posted);

  std::unique_ptr<collectives::Mpi> mpi_;
  std::vector<std::unique_ptr<GroupRanks>> groups_;
  std::mutex mutex_;
  std::condition_variable posted_;
  std::deque<Posted> queue_;
  std::exception_ptr failure_;
  bool ends_ = false;
  std::atomic<bool> failed_{false};  // a rank was missing: MPI can then not be finalized
  std::thread thread_;
};

}  // namespace arlab::training
