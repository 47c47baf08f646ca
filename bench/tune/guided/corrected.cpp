#include "bench/tune/guided/corrected.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace arlab::bench {
namespace {

/// By logarithm of the size: that of measured / predicted.
using Factors = std::map<double, double>;

double log_size(const TuneCell& cell) { return std::log(static_cast<double>(cell.bytes) + 1); }

Factors factors_of(const TunedChoice& choice, Rank ranks, const std::vector<TuneCell>& predicted,
                   const std::vector<TuneCell>& measured) {
  Factors all;
  for (const TuneCell& cell : measured) {
    if (cell.ranks != ranks) continue;
    const TuneCell* const place = cell_at(predicted, cell);
    const TuneCandidate* const real = candidate_of(cell, choice);
    const TuneCandidate* const model = place ? candidate_of(*place, choice) : nullptr;
    if (real && model && real->median_us > 0 && model->median_us > 0)
      all[log_size(cell)] = std::log(real->median_us / model->median_us);
  }
  return all;
}

double factor_at(const Factors& factors, double size) {
  if (factors.empty()) return 1;
  const auto above = factors.lower_bound(size);
  if (above == factors.end()) return std::exp(factors.rbegin()->second);
  if (above == factors.begin() || above->first == size) return std::exp(above->second);
  const auto below = std::prev(above);
  const double part = (size - below->first) / (above->first - below->first);
  return std::exp(below->second + part * (above->second - below->second));
}

}  // namespace

std::vector<TuneCell> corrected(std::vector<TuneCell> predicted,
                                const std::vector<TuneCell>& measured) {
  const std::vector<TuneCell> by_model = predicted;
  for (TuneCell& cell : predicted)
    for (TuneCandidate& candidate : cell.candidates)
      candidate.median_us *=
          factor_at(factors_of(candidate.choice, cell.ranks, by_model, measured), log_size(cell));
  return predicted;
}

std::vector<TuneCell> corrected_by_others(const std::vector<TuneCell>& predicted,
                                          const std::vector<TuneCell>& measured) {
  std::vector<TuneCell> between;
  for (const TuneCell& cell : measured) {
    std::vector<TuneCell> others;
    bool below = false, above = false;
    for (const TuneCell& other : measured) {
      if (same_place(cell, other)) continue;
      others.push_back(other);
      below = below || (other.ranks == cell.ranks && other.bytes < cell.bytes);
      above = above || (other.ranks == cell.ranks && other.bytes > cell.bytes);
    }
    if (!below || !above) continue;
    for (TuneCell& its : corrected(predicted, others))
      if (same_place(its, cell)) between.push_back(std::move(its));
  }
  return between;
}

}  // namespace arlab::bench
