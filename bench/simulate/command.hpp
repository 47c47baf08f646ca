// SimulateCommand: what `arlab simulate` was asked for, and what it keeps from one configuration to
// the next.
#pragma once

#include <optional>
#include <string>

#include "bench/options/model_options.hpp"
#include "bench/simulate/disturbance.hpp"
#include "bench/simulate/fastest.hpp"
#include "bench/simulate/profile.hpp"
#include "bench/sweep/proofs.hpp"
#include "bench/sweep/round_size.hpp"
#include "bench/sweep/sweep.hpp"

namespace arlab::bench {

struct SimulateCommand {
  SweepOptions sweep;
  ModelOptions model;
  Disturbance disturbance;
  bool critical_path = false, rank_times = false;
  enum class Engine { automatic, all_ranks, events };
  Engine engine = Engine::automatic;
  bool fastest = false;  ///< only the fastest algorithm of a cell counts
  Fastest cells;
  int links = 0;  ///< number of links to record over time
  Values values;  ///< of the model's parameters
  RoundSizes rounds;
  Proofs proofs;
  std::string profile_file;
  std::optional<Profile> profile;  ///< whose calls are replayed
};

}  // namespace arlab::bench
