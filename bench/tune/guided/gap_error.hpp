// The error of a model that predicts which candidate is faster, and what it cannot decide with that error.
#pragma once

#include <optional>
#include <vector>

#include "bench/tune/decide.hpp"

namespace arlab::bench {

/// The part of the gaps whose error is at most the error of the model.
inline constexpr double kSureGaps = 0.9;

/// Returns the error of a predicted gap, as a logarithm: the 90th percentile, over the candidates of all
/// cells that both lists have, of the difference between the measured and the predicted ratio of their time
/// and that of the candidate which is predicted best. Throws Error(environment) if no cell has two such
/// candidates.
double gap_error(const std::vector<TuneCell>& predicted, const std::vector<TuneCell>& measured);

/// Returns the choices of a cell that a model with that error cannot tell from the best, which is first.
std::vector<TunedChoice> contenders(const TuneCell& predicted, double error);

/// Whether the default, which no model predicts, was replaced in the nearest measured cells of the same number
/// of ranks, on both sides of the place. `decisions` are those of the measured cells.
bool default_is_beaten(const std::vector<TuneCell>& measured,
                       const std::vector<std::optional<TuneDecision>>& decisions,
                       const TuneCell& place);

}  // namespace arlab::bench
