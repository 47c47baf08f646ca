#include "bench/tune/decide.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "bench/results/statistics.hpp"
#include "bench/study/rank_sum.hpp"

namespace arlab::bench {
namespace {

constexpr double kSureEnough = 0.05;

bool faster(const TuneCandidate& a, const TuneCandidate& b) { return a.median_us < b.median_us; }

// Simulated times are exact.
double p_of(const TuneCandidate& a, const TuneCandidate& b) {
  if (a.samples_us.empty() || b.samples_us.empty()) return a.median_us == b.median_us ? 1 : 0;
  return rank_sum_p(a.samples_us, b.samples_us);
}

// Whether the intervals of both medians are the margin apart.
bool clearly_faster(const TuneCandidate& a, const TuneCandidate& b) {
  if (a.refuted) return false;
  if (a.samples_us.empty() || b.samples_us.empty()) return faster(a, b);
  return summarize(a.samples_us).high <= (1 - kMargin) * summarize(b.samples_us).low;
}

// Whether the fastest is not faster than the other beyond the interval of their ratio.
bool ties_with(const TuneCandidate& other, const TuneCandidate& fastest) {
  return other.refits && fastest.refits && ratio_interval(*other.refits, *fastest.refits).is_tie();
}

// Decides on a cell without a default. `before`: the choice of the next smaller size.
TuneDecision decide_by_time(const std::vector<TuneCandidate>& all,
                            const std::optional<TunedChoice>& before) {
  TuneDecision decision{.best = all.front(), .usual = std::nullopt, .fastest = all.front()};
  std::vector<TuneCandidate> tied{all.front()};
  for (auto other = all.begin() + 1; other != all.end(); ++other)
    if (ties_with(*other, all.front())) tied.push_back(*other);
  if (tied.size() == 1) return decision;
  decision.nearest = ratio_interval(*tied[1].refits, *tied[0].refits);
  std::vector<TuneCandidate> near;
  for (const TuneCandidate& one : tied)
    if (one.median_us <= (1 + kTiedLoss) * all.front().median_us) near.push_back(one);
  const auto stays = std::find_if(near.begin(), near.end(), [&](const TuneCandidate& c) {
    return before && c.choice == *before;
  });
  const auto fewest = std::min_element(
      near.begin(), near.end(),
      [](const TuneCandidate& a, const TuneCandidate& b) { return a.messages < b.messages; });
  decision.best = stays != near.end() ? *stays : *fewest;
  for (const TuneCandidate& one : tied)
    if (one.choice != decision.best.choice) decision.ties.push_back(one.choice);
  return decision;
}

// The choice of the cell before, if that is of a smaller size on as many ranks.
std::optional<TunedChoice> choice_before(const std::vector<TuneCell>& cells,
                                         const std::vector<std::optional<TuneDecision>>& decisions,
                                         std::size_t i) {
  if (i == 0 || cells[i - 1].ranks != cells[i].ranks || !decisions[i - 1]) return std::nullopt;
  return decisions[i - 1]->best.choice;
}

std::vector<TuneCandidate> accepted(const TuneCell& cell,
                                    const std::function<bool(const TunedChoice&)>& allowed) {
  std::vector<TuneCandidate> all;
  for (const TuneCandidate& candidate : cell.candidates)
    if (allowed(candidate.choice)) all.push_back(candidate);
  std::stable_sort(all.begin(), all.end(), faster);
  return all;
}

// The first byte of a cell's range: the geometric mean with the cell before.
Count first_byte(Bytes before, Bytes bytes) {
  const double mean = std::sqrt(static_cast<double>(before) * static_cast<double>(bytes));
  return std::clamp(static_cast<Count>(std::ceil(mean)), Count{before} + 1, Count{bytes});
}

bool same_place(const TuneCell& a, const TuneCell& b) {
  return a.ranks == b.ranks && a.bytes == b.bytes;
}

}  // namespace

const TuneCell* cell_at(const std::vector<TuneCell>& cells, const TuneCell& place) {
  const auto found = std::find_if(cells.begin(), cells.end(),
                                  [&](const TuneCell& cell) { return same_place(cell, place); });
  return found == cells.end() ? nullptr : &*found;
}

const TuneCandidate* candidate_of(const TuneCell& cell, const TunedChoice& choice) {
  const auto found = std::find_if(cell.candidates.begin(), cell.candidates.end(),
                                  [&](const TuneCandidate& c) { return c.choice == choice; });
  return found == cell.candidates.end() ? nullptr : &*found;
}

std::vector<std::optional<TuneDecision>> decide(
    const std::vector<TuneCell>& cells, const std::string& usual,
    const std::function<bool(const TunedChoice&)>& allowed) {
  std::vector<std::optional<TuneDecision>> decisions(cells.size());
  struct Test {
    std::size_t cell;
    TuneCandidate candidate;
  };
  std::vector<Test> tests;
  std::vector<double> p;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::vector<TuneCandidate> all = accepted(cells[i], allowed);
    if (all.empty()) continue;
    const auto found = std::find_if(all.begin(), all.end(), [&](const TuneCandidate& c) {
      return c.choice.algorithm == usual;
    });
    if (found == all.end()) {
      decisions[i] = decide_by_time(all, choice_before(cells, decisions, i));
      continue;
    }
    decisions[i] = {.best = *found, .usual = *found, .fastest = all.front()};
    for (auto other = all.begin(); other != found; ++other) {
      tests.push_back({i, *other});
      p.push_back(p_of(*other, *found));
    }
  }
  const std::vector<double> corrected = holm_corrected(p);
  for (std::size_t t = 0; t < tests.size(); ++t) {
    TuneDecision& decision = *decisions[tests[t].cell];
    if (corrected[t] >= kSureEnough || !faster(tests[t].candidate, decision.best)) continue;
    if (!clearly_faster(tests[t].candidate, *decision.usual)) continue;
    decision.best = tests[t].candidate;
    decision.p = corrected[t];
  }
  return decisions;
}

TuningTable table_of(const std::vector<TuneCell>& cells,
                     const std::vector<std::optional<TuneDecision>>& decisions, Outside outside,
                     std::string made_by) {
  std::map<Rank, std::map<Bytes, TunedChoice>> chosen;
  for (std::size_t i = 0; i < cells.size(); ++i)
    if (decisions[i]) chosen[cells[i].ranks][cells[i].bytes] = decisions[i]->best.choice;
  TuningTable table;
  table.made_by = std::move(made_by);
  const std::vector<TuningTable::Sizes> left_alone{{}};
  const auto add_row = [&](Count first, std::vector<TuningTable::Sizes> sizes) {
    if (!table.rows.empty()) table.rows.back().last = first - 1;
    table.rows.push_back({first, TuningTable::kNoEnd, std::move(sizes)});
  };
  if (chosen.empty() || (outside == Outside::native && chosen.begin()->first > 1))
    add_row(1, left_alone);
  for (const auto& [ranks, by_size] : chosen) {
    std::vector<TuningTable::Sizes> sizes;
    Bytes before = 0;
    for (const auto& [bytes, choice] : by_size) {
      if (sizes.empty())
        sizes.push_back({0, TuningTable::kNoEnd, choice});
      else if (sizes.back().choice != choice) {
        const Count first = first_byte(before, bytes);
        sizes.back().last = first - 1;
        sizes.push_back({first, TuningTable::kNoEnd, choice});
      }
      before = bytes;
    }
    add_row(table.rows.empty() ? 1 : ranks, std::move(sizes));
  }
  if (!chosen.empty() && outside == Outside::native)
    add_row(chosen.rbegin()->first + 1, left_alone);
  return table;
}

}  // namespace arlab::bench
