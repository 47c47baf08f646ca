// Engine: MPI of a PyTorch process, and its process groups over it.
//
// Each group has a thread that runs its collectives in the order in which they were called, and one
// thread moves the messages between pairs of ranks. They take turns with MPI, so a collective that
// waits holds up nothing else.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "collectives/mpi/mpi.hpp"
#include "training/plugins/torch/group_ranks.hpp"
#include "training/plugins/torch/messenger.hpp"
#include "training/plugins/torch/task_queue.hpp"
#include "training/plugins/torch/waiter.hpp"

namespace arlab::training {

/// The ranks of a process group, with all that they need of MPI.
class Group {
 public:
  using Task = std::function<void(GroupRanks&)>;

  Group(collectives::Communicator& world, MpiTurn& turn, const std::vector<Member>& members,
        collectives::SizeRules rules, double seconds);

  /// Runs the task in the group's thread, then `done` with its error or null. `call` names it in
  /// errors.
  void post(const Call& call, Task task, TaskQueue::Done done);
  /// What this rank has sent in collectives before this call.
  Count bytes_sent();

  collectives::Messages& messages() { return messages_; }
  bool failed() const { return queue_.failed(); }
  /// Whether MPI may still use memory of tasks that failed.
  bool damaged() const { return failed() || messages_.damaged(); }
  /// Runs what was posted, and ends the thread.
  void end() { queue_.end(); }

 private:
  Waiter waiter_;
  GroupRanks ranks_;
  collectives::RollCall roll_call_;
  collectives::Messages messages_;
  TaskQueue queue_;
};

class Engine {
 public:
  /// Starts or joins MPI, on the calling thread. Throws Error(environment).
  Engine();
  /// Runs what was posted.
  ~Engine();

  Rank world_rank();
  Rank world_ranks();

  /// Makes a group of these processes of the job. All members call it together, and have made sure
  /// before that each of them does. It lives as long as the engine. A wait of its may take
  /// `seconds`.
  Group& add_group(const std::vector<Member>& members, collectives::SizeRules rules,
                   double seconds);

  Messenger& messenger() { return *messenger_; }

 private:
  MpiTurn turn_;
  std::unique_ptr<collectives::Mpi> mpi_;
  std::vector<std::unique_ptr<Group>> groups_;
  std::unique_ptr<Messenger> messenger_;
};

}  // namespace arlab::training
