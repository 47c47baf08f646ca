// decide: the best candidate for each number of ranks and size, and how sure that is.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bench/formats/rules/tuning_table.hpp"
#include "bench/study/intervals/refits.hpp"

namespace arlab::bench {

/// One algorithm of a cell, measured or simulated.
struct TuneCandidate {
  TunedChoice choice;
  double median_us = 0;
  std::vector<double> samples_us = {};      ///< empty: simulated, and exact
  bool refuted = false;                     ///< was chosen, and did not win another job
  std::optional<RefittedTime> refits = {};  ///< simulated on a machine with intervals
  Count messages = 0;                       ///< simulated: over all ranks
};

/// One number of ranks and size.
struct TuneCell {
  Rank ranks = 1;
  Count elements = 0;
  Bytes bytes = 0;
  std::vector<TuneCandidate> candidates;
  Rank nodes = -1;  ///< -1: not known
};

/// Returns the cell of the same ranks and size; null if there is none.
const TuneCell* cell_at(const std::vector<TuneCell>& cells, const TuneCell& place);
/// Returns the cell's candidate of this choice; null if there is none.
const TuneCandidate* candidate_of(const TuneCell& cell, const TunedChoice& choice);

struct TuneDecision {
  TuneCandidate best;                         ///< what to use
  std::optional<TuneCandidate> usual;         ///< the default that it is compared with
  std::optional<TuneCandidate> fastest = {};  ///< by its median, though perhaps by chance
  double p = 1;  ///< of a rank-sum test of best against usual, corrected for all tests of the table
  /// Simulated on a machine with intervals: others that are not slower than the fastest beyond
  /// them, and the ratio of the nearest of them to the fastest.
  std::vector<TunedChoice> ties = {};
  RatioInterval nearest = {};
};

inline constexpr double kTiedLoss = 0.05;  ///< of the fastest's time, which a tie may cost at most

inline constexpr double kMargin = 0.03;  ///< of the default's time, which a choice gains at least

/// Decides on each cell, among the candidates that `allowed` accepts. `usual` names the default:
/// another candidate replaces it only if its times are lower by a rank-sum test with p below 0.05,
/// corrected for the number of tests in all cells (Holm), if the 95% intervals of both medians are
/// kMargin apart, and if it is not refuted. Where a cell has no default, the lowest median wins; in
/// a tie, of those within kTiedLoss the choice of the next smaller size stays, or else the one with
/// the fewest messages wins.
/// A cell without candidates has no decision.
std::vector<std::optional<TuneDecision>> decide(
    const std::vector<TuneCell>& cells, const std::string& usual,
    const std::function<bool(const TunedChoice&)>& allowed);

/// Beyond the numbers of ranks of the cells.
enum class Outside {
  nearest,  ///< the choices of the nearest number hold
  native,   ///< the library decides
};

/// Returns the table of the decisions: the sizes between two cells are divided at their geometric
/// mean, the ends hold for all smaller and larger sizes, and the ranks of a cell hold up to the
/// next cell's.
TuningTable table_of(const std::vector<TuneCell>& cells,
                     const std::vector<std::optional<TuneDecision>>& decisions, Outside outside,
                     std::string made_by);

}  // namespace arlab::bench
