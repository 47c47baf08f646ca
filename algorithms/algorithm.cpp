#include "algorithms/algorithm.hpp"

#include <algorithm>

#include "algorithms/base/error.hpp"
#include "algorithms/base/names.hpp"
#include "algorithms/base/text.hpp"

namespace arlab {
namespace {

void expect_lanes(const Problem& problem, int segments) {
  check(problem);
  if (segments < 1) fail(Blame::usage, concat("segments is ", segments, ": give at least 1"));
  if (segments > 1 && (problem.collective == Collective::reduce_scatter ||
                       problem.collective == Collective::all_gather))
    fail(Blame::usage, concat("with segments, ", name(problem.collective),
                              " would end with several pieces per rank instead of one chunk: use 1 "
                              "segment"));
}

// Lanes of the same size and number cost the same, so that at most two are evaluated per number.
template <class CostModel>
Cost sum_over_lanes(const Algorithm& algorithm, const Problem& problem, int segments,
                    CostModel cost_model) {
  expect_lanes(problem, segments);
  const Count parts = Count{segments} * algorithm.lanes;
  const Count longer = problem.elements % parts;  // the first lanes have one element more
  Cost sum;
  const auto add = [&](std::int32_t number, Count elements, Count lanes) {
    if (lanes == 0 || elements == 0) return;
    Problem lane = problem;
    lane.elements = elements;
    lane.lane = number;
    const Cost cost = cost_model(lane);
    sum.messages += lanes * cost.messages;
    sum.elements += lanes * cost.elements;
    sum.rounds = std::max(sum.rounds, cost.rounds);
  };
  for (std::int32_t number = 0; number < algorithm.lanes; ++number) {
    const Count all = segments;
    const Count of_longer = (longer + algorithm.lanes - 1 - number) / algorithm.lanes;
    add(number, problem.elements / parts + 1, of_longer);
    add(number, problem.elements / parts, all - of_longer);
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
  expect_lanes(problem, segments);
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
