// Guided tuning: a model decides where it can, and only the rest is measured.
//
// A few cells are measured with all candidates. They correct the model's times in the others, and show how
// far these are off when they predict the gap between two candidates. In every other cell only those
// candidates are measured whose predicted gap to the best is smaller than that error. If one remains, and
// the default was replaced in the measured cells on both sides, nothing is measured: no model predicts the
// default.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "bench/tune/cells.hpp"

namespace arlab::bench {

/// What a guided tuning did.
struct GuidedTuning {
  std::vector<TuneCell> cells;          ///< predicted times in those that were simulated only
  double model_error = 0;               ///< of a gap that the model predicts, as a logarithm
  double error = 0;                     ///< the same of corrected times
  std::size_t simulated_only = 0;       ///< cells
  std::size_t measured = 0, total = 0;  ///< candidates over all cells
  double seconds = 0;                   ///< of measuring
  double saved_seconds = 0;  ///< estimated: the predicted time of the runs that were left out
};

/// Returns "the error of a gap between two candidates is 80% by the model, ...".
std::string summary_of(const GuidedTuning& tuning);

/// Simulates all candidates of the catalog, measures all in the smallest, the middle and the largest size of
/// each number of ranks, and elsewhere those that the model cannot tell apart. Candidates of the library cannot
/// be simulated, so they are measured in every cell.
GuidedTuning tune_guided(const TuneOptions& options, const TemporaryFolder& folder);

}  // namespace arlab::bench
