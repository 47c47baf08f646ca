// Ranked: cuts gradients into slices and sends the most urgent ready slice first.
//
// A slice in progress is not preempted; a more urgent one overtakes at the next slice.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <queue>
#include <vector>

#include "training/schedulers/scheduler.hpp"

namespace arlab::training {

struct Ranking {
  std::vector<int> urgency;                          ///< by layer; the lowest value goes first
  Count slice = std::numeric_limits<Count>::max();   ///< elements per slice
  Bytes credit = std::numeric_limits<Bytes>::max();  ///< in progress at once; at least one slice is
  int limit = 1;                                     ///< slices in progress at once
};

/// Ranks the layers by the order in which the next forward pass needs them.
std::vector<int> forward_urgency(const Profile& profile);

std::unique_ptr<Scheduler> by_urgency(const Profile& profile, Ranking ranking);

}  // namespace arlab::training
