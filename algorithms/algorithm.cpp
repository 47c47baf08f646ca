#include "algorithms/algorithm.hpp"

#include <algorithm>

#include "algorithms/base/error.hpp"
#include "algorithms/base/names.hpp"
#include "algorithms/base/text.hpp"

namespace arlab {
namespace {

template <class CostModel>
Cost sum_over_lanes(const Algorithm& algorithm, const Problem& problem, int segments,
                    CostModel cost_model) {
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

const Algorithm& find_algorithm(std::string_view name) {
  return find_named(algorithms(), name, "algorithm");
}

std::string unsupported(const Algorithm& algorithm, const Problem& problem) {
  const auto& known = algorithm.collectives;
  if (std::find(known.begin(), known.end(), problem.collective) == known.end())
    return concat(algorithm.name, " has no ", name(problem.collective), " form");
  return algorithm.unsupported_reason ? algorithm.unsupported_reason(problem) : "";
}

std::vector<Lane> lanes_of(const Algorithm& algorithm, const Problem& problem, int segments) {
  check(problem);
  if (segments < 1) fail(Blame::usage, concat("segments is ", segments, ": give at least 1"));
  if (segments > 1 && (problem.collective == Collective::reduce_scatter ||
                       problem.collective == Collective::all_gather))
    fail(Blame::usage, concat("with segments, ", name(problem.collective),
                              " would end with several pieces per rank instead of one chunk: use 1 "
                              "segment"));
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

Cost predicted_cost(const Algorithm& algorithm, const Problem& problem, int segments) {
  return sum_over_lanes(algorithm, problem, segments,
                        [&](const Problem& p) { return algorithm.cost_model(p); });
}

Cost predicted_rank_cost(const Algorithm& algorithm, const Problem& problem, Rank me,
                         int segments) {
  return sum_over_lanes(algorithm, problem, segments,
                        [&](const Problem& p) { return algorithm.rank_cost_model(p, me); });
}

}  // namespace arlab
