#include "algorithms/algorithm.hpp"

#include <algorithm>
#include <numeric>

#include "algorithms/base/error.hpp"

namespace arlab {
namespace {

// Levenshtein's distance, one row at a time.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
    }
  }
  return row.back();
}

template <class Claim>
Cost sum_over_lanes(const Algorithm& algorithm, const Problem& problem, int segments,
                    Claim cost_model) {
  Cost sum;
  for (const Lane& lane : lanes_of(algorithm, problem, segments)) {
    const Cost cost = cost_model(lane.problem);
    sum.messages += cost.messages;
    sum.elements += cost.elements;
    sum.rounds = std::max(sum.rounds, cost.rounds);
  }
  return sum;
}

}  // namespace

std::string_view nearest(std::string_view wanted, std::span<const std::string_view> names) {
  std::string_view best;
  std::size_t best_distance = std::max<std::size_t>(2, wanted.size() / 2) + 1;
  for (const std::string_view name : names)
    if (const std::size_t d = edit_distance(wanted, name); d < best_distance)
      best = name, best_distance = d;
  return best;
}

std::string did_you_mean(std::string_view wanted, std::span<const std::string_view> names) {
  const std::string_view near = nearest(wanted, names);
  return near.empty() ? "" : ", did you mean '" + std::string(near) + "'?";
}

const Algorithm& find_algorithm(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Algorithm& a : algorithms()) {
    if (a.name == name) return a;
    names.push_back(a.name);
  }
  fail(Blame::usage, "unknown algorithm '" + std::string(name) + "'" + did_you_mean(name, names) +
                         " (`arlab list algorithms` names all)");
}

std::string unsupported(const Algorithm& algorithm, const Problem& problem) {
  const auto& known = algorithm.collectives;
  if (std::find(known.begin(), known.end(), problem.collective) == known.end())
    return std::string(algorithm.name) + " has no " + std::string(name(problem.collective)) +
           " form";
  return algorithm.unsupported_reason ? algorithm.unsupported_reason(problem) : "";
}

std::vector<Lane> lanes_of(const Algorithm& algorithm, const Problem& problem, int segments) {
  check(problem);
  if (segments < 1)
    fail(Blame::usage, "segments is " + std::to_string(segments) + ": give at least 1");
  if (segments > 1 && (problem.collective == Collective::reduce_scatter ||
                       problem.collective == Collective::all_gather))
    fail(Blame::usage, "segments leave the ranks with several pieces after " +
                           std::string(name(problem.collective)) +
                           ", not with one chunk each: use 1");
  const Count parts = Count{segments} * algorithm.lanes;
  const Blocks blocks(problem.elements, parts);
  std::vector<Lane> lanes;
  for (Count i = 0; i < parts && blocks.size(i) > 0; ++i) {
    Lane lane{problem, blocks.begin(i)};
    lane.problem.elements = blocks.size(i);
    lane.problem.lane = static_cast<std::int32_t>(i % algorithm.lanes);
    lanes.push_back(lane);
  }
  return lanes;
}

Cost claimed(const Algorithm& algorithm, const Problem& problem, int segments) {
  return sum_over_lanes(algorithm, problem, segments,
                        [&](const Problem& p) { return algorithm.cost_model(p); });
}

Cost claimed_of_rank(const Algorithm& algorithm, const Problem& problem, Rank me, int segments) {
  return sum_over_lanes(algorithm, problem, segments,
                        [&](const Problem& p) { return algorithm.rank_cost_model(p, me); });
}

}  // namespace arlab
