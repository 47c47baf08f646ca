// stalled_state: what the ranks of a collective wait for when a wait has failed.
#pragma once

#include <span>
#include <string>

#include "algorithms/algorithm.hpp"
#include "collectives/place.hpp"
#include "collectives/reduce/dtype.hpp"

namespace arlab::collectives {

/// Returns lines on the places of the ranks in the collective that `me` is in: what each waits for,
/// and what the missing ones owe. Empty if no places are known.
std::string stalled_state(const Algorithm& algorithm, const Problem& problem, int segments,
                          DType dtype, std::span<const SeenPlace> places, Rank me);

/// The same without the programs: where the missing ranks are, beside `me`. Empty if that is
/// outside of a collective.
std::string stalled_places(std::span<const SeenPlace> places, Rank me);

/// Returns lines on the places of missing ranks, for a wait outside of a collective, such as a
/// barrier.
std::string stalled_between(std::span<const SeenPlace> places);

}  // namespace arlab::collectives
