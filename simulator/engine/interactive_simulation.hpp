// InteractiveSimulation: a simulation that receives its rounds from the caller while it runs.
//
// It runs the same engine as simulate(): if rounds start at the times at which simulate() starts
// them, all times are equal.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "simulator/engine/engine.hpp"

namespace arlab::simulator {

class InteractiveSimulation {
 public:
  /// The network must be new, have `ranks` ranks, and outlive the simulation.
  InteractiveSimulation(Network& network, Rank ranks)
      : engine_(ExternalRounds(ranks), ranks, 1, network, options_) {}
  InteractiveSimulation(const InteractiveSimulation&) = delete;
  InteractiveSimulation& operator=(const InteractiveSimulation&) = delete;

  /// Starts a round of that rank and lane; the lane's previous round must have ended. `now` is
  /// between the last and the next event. The round has at least one action; peers are other ranks.
  void start(Rank rank, std::int32_t lane, std::span<const PostedAction> round, Time now,
             const RoundStart& how = {}) {
    const ExternalRounds::Index actor = engine_.actors().take(rank, lane, round, how);
    engine_.post(actor, now, how.since.value_or(engine_.actors().known_since(actor, now)));
  }

  struct Ended {
    Rank rank = 0;
    std::int32_t lane = 0;
    Time since{};  ///< when it was known that the round ends then
  };
  struct Step {
    Time now{};
    std::optional<Ended> ended;  ///< the round that ended at that time
  };
  /// Handles the next event unless it is after `latest`. Returns nothing if there is none.
  std::optional<Step> step(Time latest) {
    if (!engine_.step(latest)) return {};
    Step step{engine_.now(), {}};
    if (const auto actor = engine_.actors().ended())
      step.ended = {engine_.actors().rank_of(*actor), engine_.actors().outer_lane_of(*actor),
                    engine_.actors().known_since(*actor, engine_.now())};
    return step;
  }

 private:
  SimulateOptions options_;
  Engine<ExternalRounds> engine_;
};

}  // namespace arlab::simulator
