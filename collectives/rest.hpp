// What a thread that polls does between two looks, if it may leave its core to others.
#pragma once

#include <cstddef>
#include <functional>

namespace arlab::collectives {

/// How many polls in a row a thread makes before it rests at all.
inline constexpr int kPollsBeforeRest = 20;

/// Yields for some 100 us, in which most messages arrive, and then sleeps. `polls`: those of this
/// wait.
void rest_after(int polls);

/// Is called between the polls of a wait that takes long: with how many there were, and the bytes
/// that the wait is for. Other threads may call MPI meanwhile. It may throw Stalled, after which
/// the communicator must be abandoned.
using Rest = std::function<void(int polls, std::size_t bytes)>;

}  // namespace arlab::collectives
