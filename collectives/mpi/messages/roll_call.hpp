// RollCall: who waits, when a collective takes too long. Those who are not heard are missing.
//
// A rank that computes forever looks to the others like one that was stopped or never started. What
// tells them apart from the waiting ones is that these answer.
#pragma once

#include <memory>
#include <vector>

#include "collectives/communicator.hpp"

namespace arlab::collectives {

class RollCall {
 public:
  /// All ranks of the communicator, which is one over MPI, call it together.
  explicit RollCall(const Communicator& group);
  ~RollCall();
  RollCall(const RollCall&) = delete;

  /// Tells the others that this rank waits. It is told once.
  void answer();
  bool answered() const { return answered_; }

  /// Takes what has arrived. Returns which ranks have been heard so far; this one never is.
  const std::vector<bool>& heard();

 private:
  struct Link;
  std::unique_ptr<Link> link_;
  std::vector<bool> heard_;
  bool answered_ = false;
};

}  // namespace arlab::collectives
