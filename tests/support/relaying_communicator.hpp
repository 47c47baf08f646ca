// RelayingCommunicator: passes all on to another communicator; tests override what they change.
#pragma once

#include <utility>
#include <vector>

#include "collectives/communicator.hpp"

namespace arlab::collectives {

class RelayingCommunicator : public Communicator {
 public:
  /// The other must outlive this one.
  explicit RelayingCommunicator(Communicator& inner, Services services = {})
      : Communicator(inner.rank(), inner.ranks(), std::move(services)), inner_(inner) {}
  void start(int lane, std::span<const Transfer> round, Operand operand) override {
    inner_.start(lane, round, operand);
  }
  int wait() override { return inner_.wait(); }
  std::vector<Rank> machines() override { return inner_.machines(); }
  void barrier() override { inner_.barrier(); }
  double max(double value) override { return inner_.max(value); }
  Count sum(Count value) override { return inner_.sum(value); }

 protected:
  Communicator& inner_;
};

}  // namespace arlab::collectives
