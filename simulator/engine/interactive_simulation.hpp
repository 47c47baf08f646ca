// InteractiveSimulation: a simulation whose rounds come from outside while it goes on, one at a time.
//
// It is the engine of simulate(), event for event: where rounds come at the times at which
// simulate() would pull them, all times are the same.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "simulator/engine/engine.hpp"

namespace arlab::simulator {

class InteractiveSimulation {
 public:
  /// The network must be fresh, have that many ranks, and outlive the simulation.
  InteractiveSimulation(Network& network, Rank ranks)
      : engine_(ExternalRounds(ranks), ranks, 1, network, options_) {}
  InteractiveSimulation(const InteractiveSimulation&) = delete;
  InteractiveSimulation& operator=(const InteractiveSimulation&) = delete;

  /// The rank starts a round of that lane, whose last one has ended. `now` lies between what has
  /// happened last and what happens next. There is at least one action, and peers are other ranks.
  void start(Rank rank, std::int32_t lane, std::span<const PostedAction> round, Time now) {
    const ExternalRounds::Index actor = engine_.actors().take(rank, lane, round);
    engine_.post(actor, now);
  }

  struct Ended {
    Rank rank = 0;
    std::int32_t lane = 0;
  };
  struct Step {
    Time now{};
    std::optional<Ended> ended;  ///< the round that ended then
  };
  /// The next thing that happens, if that is not after `latest`; nothing if there is none.
  std::optional<Step> step(Time latest) {
    if (!engine_.step(latest)) return {};
    Step step{engine_.now(), {}};
    if (const auto actor = engine_.actors().ended())
      step.ended = {engine_.actors().rank_of(*actor), engine_.actors().outer_lane_of(*actor)};
    return step;
  }

 private:
  SimulateOptions options_;
  Engine<ExternalRounds> engine_;
};

}  // namespace arlab::simulator
