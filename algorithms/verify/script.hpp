// Script: a schedule as data, such as one read from a file, as an algorithm.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "algorithms/algorithm.hpp"

namespace arlab {

struct Script {
  using Rounds = std::vector<std::vector<Action>>;
  struct ScriptLane {
    Count weight = 1;  ///< its share of the vector
    Rank chunks_per_rank = 1;
    std::vector<Rounds> ranks;  ///< the rounds of every rank
    Turn turn{};                ///< if it is a piece of a channel
  };
  std::string name;    ///< of the algorithm
  std::string source;  ///< where it comes from
  Collective collective = Collective::allreduce;
  Rank ranks = 1;
  Rank root = 0;
  std::vector<ScriptLane> lanes;
};

/// Returns the algorithm that runs the script, on its own number of ranks, collective and root
/// only. Its costs are counted from the script. Throws Error(usage) unless there is a lane, each
/// has the rounds of every rank and a weight above 0, the number of chunks is at most 2^31 - 1, and
/// the schedule is correct (verify).
Algorithm algorithm_of(std::shared_ptr<const Script> script);

}  // namespace arlab
