// Waiter: how the engine's threads wait in a collective of one group: others may use MPI meanwhile,
// and a wait that takes too long ends with an error that names the ranks that do not take part.
#pragma once

#include <string>
#include <vector>

#include "collectives/mpi/messages/roll_call.hpp"
#include "training/plugins/torch/turn.hpp"

namespace arlab::training {

/// A process of the job.
struct Member {
  Rank rank = 0;  ///< in the job
  int process = 0;
  std::string machine;
};
/// Returns "rank 2 (process 1234)".
std::string text(const Member& member);

class Waiter {
 public:
  /// `members`: by rank in the group. A wait may take `seconds`, and one per MiB.
  Waiter(MpiTurn& turn, double seconds, std::vector<Member> members)
      : turn_(turn), seconds_(seconds), members_(std::move(members)) {}

  /// For mpi_communicator(). Throws Stalled.
  void rest(int polls, std::size_t bytes);
  /// From now on. It lives as long as there are waits.
  void set_roll_call(collectives::RollCall& roll_call, Rank me) {
    roll_call_ = &roll_call;
    me_ = me;
  }

 private:
  void look(double time, double patience);
  [[noreturn]] void give_up(const std::vector<bool>& heard);

  MpiTurn& turn_;
  double seconds_;
  std::vector<Member> members_;
  collectives::RollCall* roll_call_ = nullptr;
  Rank me_ = 0;
  double began_ = 0, looked_ = 0, answered_ = 0;
};

}  // namespace arlab::training
