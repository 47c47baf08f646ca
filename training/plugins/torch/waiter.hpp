// Waiter: how the engine's threads wait in a collective of one group: others may use MPI meanwhile,
// and a wait that takes too long ends with an error that names the ranks that do not take part.
#pragma once

#include <functional>
#include <vector>

#include "training/plugins/torch/member.hpp"
#include "training/plugins/torch/turn.hpp"

namespace arlab::training {

/// How the ranks of a group learn who waits.
struct RollCalls {
  std::function<void()> answer = {};  ///< tells the others that this rank waits
  /// How often each rank has answered so far.
  std::function<const std::vector<unsigned>&()> answers = {};
  /// Returns a rank that has left before the collective that runs; -1 if none has.
  std::function<Rank()> gone = {};
};

class Waiter {
 public:
  /// `members`: by rank in the group. A wait may take `seconds`, and one per MiB.
  Waiter(MpiTurn& turn, double seconds, std::vector<Member> members)
      : turn_(turn), seconds_(seconds), members_(std::move(members)) {}

  /// For mpi_communicator(). Throws Stalled.
  void rest(int polls, std::size_t bytes);
  /// For StepWaiting.
  static void rest_in_steps(void* waiter, unsigned rests);

  /// Whether the thread that waits has the turn to call MPI.
  void set_has_turn(bool has_turn) { has_turn_ = has_turn; }
  /// From now on.
  void set_roll_calls(RollCalls roll_calls, Rank me) {
    roll_calls_ = std::move(roll_calls);
    me_ = me;
  }

 private:
  void begin(double time);
  void look(double patience);
  [[noreturn]] void give_up(const std::vector<unsigned>& answers);

  MpiTurn& turn_;
  double seconds_;
  std::vector<Member> members_;
  RollCalls roll_calls_;
  Rank me_ = 0;
  bool has_turn_ = true;
  // Of the wait that lasts, in seconds without those in which the process stood still.
  double waited_ = 0, looked_ = 0, asked_ = 0, answered_ = 0;
  bool has_looked_ = false, has_answered_ = false;
  double clock_ = 0;              // when it was last seen
  std::vector<unsigned> before_;  // the answers since which others are heard
};

}  // namespace arlab::training
