// settle and confirm: measure again where a choice may be slower than another candidate, and where
// it replaces the default.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "bench/tune/cells.hpp"

namespace arlab::bench {

/// Two candidates of a cell: the choice, and one whose median is lower by more than kClose.
struct Contest {
  std::size_t cell = 0;
  TunedChoice choice, faster;
  bool operator==(const Contest&) const = default;
};

inline constexpr double kClose = 0.05;  ///< of the lower median

/// Returns the cells where the choice is not the candidate with the lowest median by a test, and
/// loses more than kClose to it. Simulated candidates are exact, so none of theirs.
std::vector<Contest> contests(const std::vector<std::optional<TuneDecision>>& decisions);

/// Adds the samples of `more`, cells of the same problems, to the candidates of `cells` that have
/// the same choice.
void add_samples(std::vector<TuneCell>& cells, const std::vector<TuneCell>& more);

using Decide =
    std::function<std::vector<std::optional<TuneDecision>>(const std::vector<TuneCell>&)>;

inline constexpr int kFewRuns = 50;  ///< fewer: the user wants a quick answer

/// Measures the candidates of the contests again, with twice as many runs each time, until none is
/// left, but at most three times; not at all with few runs. Throws as tune_cells() does.
void settle(const TuneOptions& options, const std::vector<Decide>& deciders,
            const TemporaryFolder& folder, std::vector<TuneCell>& cells);

/// Returns the cells where the choice replaces a measured default, which is `faster` of the
/// contest.
std::vector<Contest> replacements(const std::vector<std::optional<TuneDecision>>& decisions);

/// Marks the choices of `asked` as refuted that do not replace the default by the samples of
/// `again` alone.
void refute(std::vector<TuneCell>& cells, const std::vector<Contest>& asked,
            const std::vector<TuneCell>& again, const Decide& decide);

/// Measures each choice that replaces the default in another job, beside the default, and refutes
/// those that do not win there, too: jobs differ by more than the runs of one suggest. Not with few
/// runs. Throws as tune_cells() does.
void confirm(const TuneOptions& options, const std::vector<Decide>& deciders,
             const TemporaryFolder& folder, std::vector<TuneCell>& cells);

}  // namespace arlab::bench
