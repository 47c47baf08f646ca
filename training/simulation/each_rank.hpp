// EachRank: event-driven simulation of all ranks.
//
// Both threads of a rank run until they wait. Threads that became due run in that order; then
// alarms precede network events of the same time, as among emulated ranks.
#pragma once

#include <deque>
#include <functional>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include "simulator/engine/interactive_simulation.hpp"
#include "training/simulation/rank_state.hpp"
#include "training/simulation/simulated_steps.hpp"

namespace arlab::training {

class EachRank {
 public:
  /// Plan and network must outlive it.
  EachRank(const TrainingPlan& plan, simulator::Network& network, bool trace)
      : plan_(plan),
        simulation_(network, plan.ranks),
        scheduled_(plan.strategy->schedules),
        barrier_(plan.scheduler->barrier),
        led_(!plan.scheduler->same_everywhere),
        trace_(trace) {
    for (Rank r = 0; r < plan.ranks; ++r) ranks_.emplace_back(plan, r);
  }
  /// Call once, before run().
  void use_scheduler(const LinkCost& link);
  SimulatedSteps run();

 private:
  enum class Thread : std::uint8_t { compute, exchange };

  struct Due {
    Rank rank;
    Thread thread;
  };
  struct Alarm {
    Time time;
    std::uint64_t number;
    Rank rank;
    Thread thread;
    std::uint32_t idles;  // 0: of a computation
    bool operator>(const Alarm& other) const {
      return std::pair(time, number) > std::pair(other.time, other.number);
    }
  };

  RankState& of(Rank r) { return ranks_[static_cast<std::size_t>(r)]; }
  const Layer& layer(std::size_t l) const { return plan_.layers[l]; }

  bool advance();
  void ring_at(Time time, Rank r, Thread thread, std::uint32_t idles) {
    alarms_.push({in_calendar(time), ++alarms_set_, r, thread, idles});
  }
  void spend(Rank r, Thread thread, Time duration);
  // Wakes what waits for a change of the exchange.
  void notify(Rank r);
  void wait(RankState& s) {
    s.waits = true;
    s.waits_since = now_;
  }
  // Runs the computing thread until it waits.
  void compute(Rank r);
  // A gradient is complete.
  void announce(Rank r, int l);
  std::optional<Bundle> next_bundle(RankState& s);
  void settle(RankState& s, const Bundle& bundle);
  // Adds the collectives of a strategy after the backward pass.
  void add_jobs(Rank r);
  // The number of those that must be done before the next step.
  std::size_t jobs_due(const RankState& s) const {
    const Count by = s.step - delay_;
    return by < 0 || by >= static_cast<Count>(s.jobs_by.size())
               ? 0
               : s.jobs_by[static_cast<std::size_t>(by)];
  }
  // Runs the exchanging thread until it waits.
  void exchange(Rank r);
  // The leader's announcement is there; a long one has a second part.
  void hear(RankState& s);
  void idle(RankState& s) {
    s.idle = true;
    ++s.idles;
  }
  // Chooses the next task. Returns false if there is none.
  bool choose(Rank r);
  /// Returns whether the task's gradients are ready on this rank.
  bool can_run(const RankState& s) const;
  // Starts the next part. Returns false if there is none.
  bool start_part(Rank r);
  void start_round(Rank r, std::size_t lane);
  void round_ended(Rank r, std::int32_t lane);
  void finish(Rank r);
  static std::size_t first_layer(const Bundle& bundle) {
    return static_cast<std::size_t>(bundle.slices.front().layer);
  }
  void span(StepSpan::Kind kind, Rank r, std::string name, int step, Bytes bytes, Time begin,
            Time end) {
    result_.spans.push_back({kind, r, std::move(name), step, bytes,
                             picoseconds(begin) / kPicosecondsPerSecond,
                             picoseconds(end) / kPicosecondsPerSecond});
  }

  static constexpr std::int64_t kLanes = 4096;  // of a collective

  const TrainingPlan& plan_;
  simulator::InteractiveSimulation simulation_;
  const bool scheduled_, barrier_, led_, trace_;
  const Count delay_ = plan_.parameter("delay");
  // What an exchange took the rank that came last, which waits for no other's passes.
  struct Exchanged {
    Time took{}, codec{};
  };
  std::vector<Exchanged> exchanged_;  // in order, which is that of all ranks
  std::deque<RankState> ranks_;
  std::vector<Bytes> element_size_of_ = std::vector<Bytes>(static_cast<std::size_t>(plan_.ranks));
  std::deque<Due> due_;
  std::priority_queue<Alarm, std::vector<Alarm>, std::greater<>> alarms_;
  std::uint64_t alarms_set_ = 0;
  std::vector<Bundle> decided_;  // by the leader
  std::vector<simulator::PostedAction> posted_;
  Time now_{};
  SimulatedSteps result_;
};

}  // namespace arlab::training
