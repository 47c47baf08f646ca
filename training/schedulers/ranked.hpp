// Ranked: gradients cut into slices, of which the most urgent that is ready goes first.
//
// A slice under way is not called back; what is more urgent overtakes at the next slice.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <queue>
#include <vector>

#include "training/schedulers/scheduler.hpp"

namespace arlab::training {

struct Ranking {
  std::vector<int> urgency;                          ///< of each layer; the lowest goes first
  Count slice = std::numeric_limits<Count>::max();   ///< elements
  Bytes credit = std::numeric_limits<Bytes>::max();  ///< under way at once; at least one slice
  int limit = 1;                                     ///< slices under way at once
};

/// The layers' own order: what the next forward pass needs first goes first.
std::vector<int> forward_urgency(const Profile& profile);

std::unique_ptr<Scheduler> by_urgency(const Profile& profile, Ranking ranking);

}  // namespace arlab::training
