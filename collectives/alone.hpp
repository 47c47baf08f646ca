// Alone: the only member of its communicator.
#pragma once

#include "algorithms/base/error.hpp"
#include "collectives/communicator.hpp"

namespace arlab::collectives {

class Alone final : public Communicator {
 public:
  Alone() : Communicator(0, 1) {}
  void start(int lane, std::span<const Transfer> round, Operand) override {
    expects(round.empty(), "a message has no rank to go to");
    started_.push_back(lane);
  }
  int wait() override {
    expects(!started_.empty(), "wait() without a started lane");
    const int lane = started_.back();
    started_.pop_back();
    return lane;
  }
  void barrier() override {}
  double max(double value) override { return value; }
  Count sum(Count value) override { return value; }

 private:
  std::vector<int> started_;
};

}  // namespace arlab::collectives
