// EmulatedCommunicator: the communicator of an emulated rank. The simulator determines when a round
// is done; the bytes are moved for real.
#pragma once

#include <deque>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "collectives/communicator.hpp"
#include "collectives/threads/barrier.hpp"
#include "training/emulation/clock.hpp"
#include "training/emulation/cooperative_scheduler.hpp"
#include "training/emulation/in_flight_messages.hpp"

namespace arlab::training {

/// What all emulated ranks share.
struct EmulatedWorld {
  EmulatedWorld(simulator::Network& network, Rank size)
      : scheduler(network, size),
        ranks(size),
        values(static_cast<std::size_t>(size)),
        waiting(static_cast<std::size_t>(size)) {}

  CooperativeScheduler scheduler;
  InFlightMessages in_flight;
  Rank ranks;
  bool abandoned = false;

  // Contributions to a barrier, max or sum, by rank.
  std::vector<collectives::AllreduceBarrier::Value> values;
  std::vector<CooperativeScheduler::Actor*> waiting;
  Rank arrived = 0;
  collectives::AllreduceBarrier::Value result;
};

class EmulatedCommunicator final : public collectives::Communicator {
 public:
  static constexpr int kMaxLanes = 4096;

  EmulatedCommunicator(EmulatedWorld& world, Rank me, const EmulatedClock::Slowdown& slowdown)
      : Communicator(me, world.ranks),
        world_(world),
        scheduler_(world.scheduler),
        clock_(world.scheduler, me, slowdown) {
    services_.clock = &clock_;
    services_.set_turn = [this](int lane, Turn turn) { lanes_[lane].turn = turn; };
  }

  void start(int lane, std::span<const collectives::Transfer> round,
             collectives::Operand operand) override;
  int wait() override;
  int poll() override;
  void abandon() noexcept override;
  void barrier() override { meet({}); }
  double max(double value) override { return meet({.largest = value}).largest; }
  Count sum(Count value) override { return meet({.sum = value}).sum; }

  /// Called by the scheduler when the lane's round is done.
  void round_ended(int lane);

 private:
  struct Open {  // the round of a lane
    std::vector<collectives::Transfer> transfers;
    collectives::Operand operand;
    Turn turn{};
    bool in_progress = false;
  };

  void post(int lane, const Open& open);
  int take_done();
  void receive(int lane, const Open& open);
  std::string reason() const;
  std::string reason(int lane, const Open& open) const;
  collectives::AllreduceBarrier::Value meet(collectives::AllreduceBarrier::Value mine);

  EmulatedWorld& world_;
  CooperativeScheduler& scheduler_;
  EmulatedClock clock_;
  std::unordered_map<int, Open> lanes_;
  std::vector<int> started_;
  std::deque<int> done_;
  CooperativeScheduler::Actor* waiter_ = nullptr;
  Time idle_poll_{-1};  // time of the last unsuccessful poll, or -1 after a start
  std::vector<simulator::PostedAction> posted_;
};

}  // namespace arlab::training
