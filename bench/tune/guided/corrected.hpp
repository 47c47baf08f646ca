// A model's times, corrected by measured ones of the same candidates in other sizes.
//
// A model that leaves out what an algorithm does per message or per byte is off by a factor that changes
// slowly with the size. So the factor of a size is interpolated between the measured ones.
#pragma once

#include <vector>

#include "bench/tune/decide.hpp"

namespace arlab::bench {

/// Returns the predicted cells with each candidate's time multiplied by measured / predicted of the same
/// candidate and number of ranks: interpolated between the measured sizes, on logarithmic axes, and constant
/// beyond them. A candidate that was not measured keeps its time.
std::vector<TuneCell> corrected(std::vector<TuneCell> predicted,
                                const std::vector<TuneCell>& measured);

/// Returns the predictions of those measured cells that lie between two others of the same number of ranks,
/// each corrected by the others only: against the measured times, these show the error of corrected().
std::vector<TuneCell> corrected_by_others(const std::vector<TuneCell>& predicted,
                                          const std::vector<TuneCell>& measured);

}  // namespace arlab::bench
