// Engine: the process groups of a PyTorch process, over shared memory within a machine, and over
// MPI if the process is a rank of an MPI job.
//
// Each group has a thread that runs its collectives in the order in which they were called, and one
// thread moves the messages between pairs of ranks. They take turns with MPI, so a collective that
// waits holds up nothing else.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "collectives/mpi/messages/messages.hpp"
#include "collectives/mpi/messages/roll_call.hpp"
#include "collectives/mpi/mpi.hpp"
#include "training/plugins/torch/group_memory.hpp"
#include "training/plugins/torch/messenger.hpp"
#include "training/plugins/torch/ranks/group_ranks.hpp"
#include "training/plugins/torch/ranks/shared_roll_call.hpp"
#include "training/plugins/torch/task_queue.hpp"
#include "training/plugins/torch/waiter.hpp"

namespace arlab::training {

/// What a process group is made of.
struct GroupParts {
  std::vector<Member> members = {};
  Rank me = 0;                                    ///< in the group
  std::unique_ptr<GroupMemory> memory = nullptr;  ///< null: none is shared
  collectives::SizeRules rules = {};
  double seconds = 300;  ///< that a wait may take
};

/// The ranks of a process group, with all that they need.
class Group {
 public:
  using Task = std::function<void(GroupRanks&)>;
  /// Begins a task without waiting. Returns whether the rest of it will not wait long.
  using Arrive = std::function<bool(GroupRanks&)>;

  /// Returns the bytes of memory that a group shares; without MPI its messages pass there, too.
  static std::size_t shared_bytes(Rank ranks, bool has_mpi);

  /// `world`: null without MPI. `crowded`: there are more processes than processors.
  Group(collectives::Communicator* world, MpiTurn& turn, GroupParts parts, bool crowded);

  /// Runs the task in the group's thread, then `done` with its error or null. `call` names it in
  /// errors. With `needs` nothing, all of it goes through shared memory; then the calling thread
  /// runs it if nothing else runs and `arrive` says that all others are there.
  void post(const Call& call, Task task, TaskQueue::Done done,
            TaskQueue::Needs needs = TaskQueue::Needs::turn, const Arrive& arrive = {});
  /// Whether vectors of that many bytes go through shared memory.
  bool shares(std::size_t bytes) const { return ranks_.shares(bytes); }
  bool shares_calls() const { return ranks_.shares_calls(); }
  /// How often a caller looks for the others, in its own thread, when it allreduces so many bytes.
  int looks_for(std::size_t bytes) const;
  /// What this rank has sent in collectives before this call.
  Count bytes_sent();

  /// Null without MPI.
  collectives::Messages* messages() { return messages_ ? &*messages_ : nullptr; }
  bool failed() const { return queue_.failed(); }
  /// Whether MPI may still use memory of tasks that failed.
  bool damaged() const { return failed() || (messages_ && messages_->damaged()); }
  /// Runs what was posted, ends the thread, and tells the others that this rank has left. What is
  /// posted from then on fails.
  void end();
  /// The same, and frees the memory, unless something runs: then nothing happens. MPI's
  /// communicators, which all ranks would have to free together, remain.
  void retire();

 private:
  std::unique_ptr<collectives::Communicator> make_link(collectives::Communicator* world) const;
  std::unique_ptr<SharedGroup> make_shared() const;
  void make_roll_calls();
  void leave();
  Rank size() const { return static_cast<Rank>(parts_.members.size()); }

  GroupParts parts_;
  bool crowded_, has_left_ = false;
  MpiTurn& turn_;
  mutable Waiter waiter_;
  GroupRanks ranks_;
  std::optional<SharedRollCall> shared_roll_call_;  // of memory; else
  std::optional<collectives::RollCall> roll_call_;
  std::optional<collectives::Messages> messages_;
  TaskQueue queue_;
};

class Engine {
 public:
  /// Starts or joins MPI, on the calling thread, if a launcher of MPI has started the process or
  /// MPI runs; else this is rank `rank` of `ranks`. Throws Error(environment).
  Engine(Rank rank, Rank ranks);

  /// At the end of the program: runs what was posted, and ends the groups and MPI. They remain, as
  /// PyTorch may still call them.
  void end();

  bool has_mpi() const { return mpi_ != nullptr; }
  Rank world_rank() const { return rank_; }
  Rank world_ranks() const { return ranks_; }

  /// Makes a group. All members call it together, and have made sure before that each of them does.
  /// It lives as long as the engine.
  Group& add_group(GroupParts parts);

  Messenger& messenger() { return *messenger_; }

 private:
  MpiTurn turn_;
  std::unique_ptr<collectives::Mpi> mpi_;  // null: none
  Rank rank_, ranks_;
  std::vector<std::unique_ptr<Group>> groups_;
  std::unique_ptr<Messenger> messenger_;
};

}  // namespace arlab::training
