#include "bench/tune/guided/gap_error.hpp"

#include <algorithm>
#include <cmath>

#include "algorithms/base/error.hpp"

namespace arlab::bench {
namespace {

const TuneCandidate& best_of(const TuneCell& cell) {
  return *std::min_element(
      cell.candidates.begin(), cell.candidates.end(),
      [](const TuneCandidate& a, const TuneCandidate& b) { return a.median_us < b.median_us; });
}

// Of the candidates of one cell, beside the one that is predicted best.
void add_errors(const TuneCell& predicted, const TuneCell& measured, std::vector<double>& errors) {
  const TuneCandidate& best = best_of(predicted);
  const TuneCandidate* const best_measured = candidate_of(measured, best.choice);
  if (!best_measured) return;
  for (const TuneCandidate& candidate : predicted.candidates) {
    const TuneCandidate* const its = candidate_of(measured, candidate.choice);
    if (!its || candidate.choice == best.choice) continue;
    const double gap = std::log(candidate.median_us / best.median_us);
    errors.push_back(std::abs(std::log(its->median_us / best_measured->median_us) - gap));
  }
}

}  // namespace

double gap_error(const std::vector<TuneCell>& predicted, const std::vector<TuneCell>& measured) {
  std::vector<double> errors;
  for (const TuneCell& cell : measured)
    if (const TuneCell* const its = cell_at(predicted, cell)) add_errors(*its, cell, errors);
  if (errors.empty())
    fail(Blame::environment,
         "no cell has two candidates that are both simulated and measured: name more candidates");
  std::sort(errors.begin(), errors.end());
  const auto place =
      static_cast<std::size_t>(std::ceil(kSureGaps * static_cast<double>(errors.size())) - 1);
  return errors[place];
}

std::vector<TunedChoice> contenders(const TuneCell& predicted, double error) {
  const TuneCandidate& best = best_of(predicted);
  std::vector<TunedChoice> all{best.choice};
  for (const TuneCandidate& candidate : predicted.candidates)
    if (candidate.choice != best.choice && std::log(candidate.median_us / best.median_us) <= error)
      all.push_back(candidate.choice);
  return all;
}

bool default_is_beaten(const std::vector<TuneCell>& measured,
                       const std::vector<std::optional<TuneDecision>>& decisions,
                       const TuneCell& place) {
  const TuneDecision *below = nullptr, *above = nullptr;
  Bytes low = 0, high = 0;
  for (std::size_t i = 0; i < measured.size(); ++i) {
    const Bytes bytes = measured[i].bytes;
    if (measured[i].ranks != place.ranks || !decisions[i]) continue;
    if (bytes <= place.bytes && (!below || bytes > low)) below = &*decisions[i], low = bytes;
    if (bytes >= place.bytes && (!above || bytes < high)) above = &*decisions[i], high = bytes;
  }
  const auto beaten = [](const TuneDecision* d) {
    return d && (!d->usual || d->best.choice != d->usual->choice);
  };
  return beaten(below) && beaten(above);
}

}  // namespace arlab::bench
