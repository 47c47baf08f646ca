// DirectWorld: the ranks of a strategy that sends its messages from rank to rank itself, without
// threads.
//
// It copies the initial weights from rank 0 to all ranks, as a trainer does, and then computes what
// the workers compute. A strategy decides what follows: it posts rounds of messages, and begins
// steps. Alarms precede network events of the same time, as among emulated ranks.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "algorithms/base/random.hpp"
#include "collectives/schedule/lane_rounds.hpp"
#include "simulator/engine/event_queue.hpp"
#include "simulator/engine/interactive_simulation.hpp"
#include "training/simulation/simulated_steps.hpp"

namespace arlab::training {

class DirectWorld {
 public:
  /// What a strategy does when something has ended on a rank.
  struct Strategy {
    std::function<void(Rank)> copied;                    ///< the initial weights are there
    std::function<void(Rank)> computed;                  ///< the backward pass of a worker's step
    std::function<void(Rank)> coded;                     ///< what code() has begun
    std::function<void(Rank, std::int32_t lane)> ended;  ///< a round that post() has started
  };

  /// Plan and network must outlive it.
  DirectWorld(const TrainingPlan& plan, simulator::Network& network, bool trace);

  /// Returns when rank 0 begins the step after the plan's last one. The other workers train for one
  /// more step, too, as in a replay. Throws Error(check) if the ranks wait for one another.
  SimulatedSteps run(Strategy strategy);

  Time now() const { return now_; }
  /// Begins the worker's next step, which computes from that time on. Does nothing if that was its
  /// last one.
  void begin_step(Rank worker, Time computes_from);
  void begin_step(Rank worker) { begin_step(worker, now_); }
  /// Returns the worker's step: the one in progress, or the one that has ended last.
  int step_of(Rank worker) const { return of(worker).step; }
  int steps() const { return plan_.steps + 1; }

  /// Starts a round of at least one message.
  void post(Rank rank, std::int32_t lane, std::span<const simulator::PostedAction> round,
            Turn turn = {}) {
    if (plan_.bandwidth == 1) return simulation_.start(rank, lane, round, now_, {.turn = turn});
    carried_.assign(round.begin(), round.end());
    for (simulator::PostedAction& action : carried_) action.bytes = plan_.carried(action.bytes);
    simulation_.start(rank, lane, carried_, now_, {.turn = turn});
  }
  /// Codes for the time, which slowdown and jitter change; then the strategy's coded() is called.
  /// Returns how long that takes.
  Time code(Rank rank, Time duration);

  /// Adds an exchange of a worker, in progress since `begin`, to the results.
  void exchanged(Rank worker, Time begin, const char* name, Bytes bytes);

 private:
  enum class Rings : std::uint8_t { late_start, pass, code };  // what ends

  struct Alarm {
    Time time{};
    Rank rank = 0;
    Rings rings = Rings::pass;
  };
  struct RankState {
    int step = -1;
    Time half{}, last{};  // begins of the steps between which the time counts
    double exchange = 0;  // picoseconds of exchanges, in these steps
    std::size_t layer = 0;
    bool backward = false;
    std::uint64_t draws = 0;
    int lanes = 0;  // in progress, of the initial weights
    std::vector<collectives::LaneRounds> copying;
  };

  RankState& of(Rank r) { return ranks_[static_cast<std::size_t>(r)]; }
  const RankState& of(Rank r) const { return ranks_[static_cast<std::size_t>(r)]; }

  void copy_weights();
  void start_copy_round(Rank r, std::int32_t lane);
  bool advance();
  double pace() const;
  // The exchange of a step, mean over the steps of all workers.
  double mean_exchange() const;
  Time slowed(Rank r, Time duration);
  void compute(Rank r, Time duration);
  void start_forward(Rank r);
  void pass_ended(Rank r);

  static constexpr std::int32_t kCopies = 1 << 30;  // first lane of the initial weights

  const TrainingPlan& plan_;
  const bool trace_;
  simulator::InteractiveSimulation simulation_;
  simulator::EventQueue<Alarm> alarms_;
  std::vector<RankState> ranks_;
  std::vector<simulator::PostedAction> posted_, carried_;
  Strategy strategy_;
  Time now_{};
  bool over_ = false;
  Rank counted_ = 0;  // workers whose steps that count have ended
  SimulatedSteps result_;
};

}  // namespace arlab::training
