// The names of a run's files in its checkpoint folder: step-000000001000.ckpt, and, if each rank
// has a part of the state, step-000000001000-0-of-4.shard to step-000000001000-3-of-4.shard.
#pragma once

#include <optional>
#include <string>

#include "algorithms/problem.hpp"

namespace arlab::training {

std::string checkpoint_name(Count step);
std::string shard_name(Count step, Rank rank, Rank ranks);

/// Return the step in such a name, or nothing if it is another file.
std::optional<Count> step_of_checkpoint(const std::string& file_name);
std::optional<Count> step_of_shard(const std::string& file_name);

}  // namespace arlab::training
