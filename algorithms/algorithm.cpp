#include "algorithms/algorithm.hpp"

#include <algorithm>
#include <numeric>

#include "algorithms/base/error.hpp"
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

// The same lane, `lanes` times.
void add_lanes(Cost& sum, const Cost& cost, Count lanes) {
  sum.messages += lanes * cost.messages;
  sum.elements += lanes * cost.elements;
  sum.rounds = std::max(sum.rounds, cost.rounds);
}

// Equal lanes of the same number cost the same, so that at most two are evaluated per number.
template <class CostModel>
Cost sum_over_lanes(const Algorithm& algorithm, const Problem& problem, int segments,
                    CostModel cost_model) {
  Cost sum;
  if (algorithm.lane_weights || algorithm.chunks_per_rank) {
    for (const Lane& lane : lanes_of(algorithm, problem, segments))
      add_lanes(sum, cost_model(lane.problem), 1);
    return sum;
  }
  expect_lanes(problem, segments);
  const Count parts = Count{segments} * algorithm.lanes;
  const Count longer = problem.elements % parts;  // the first lanes have one element more
  for (std::int32_t number = 0; number < algorithm.lanes; ++number) {
    const Count of_longer = (longer + algorithm.lanes - 1 - number) / algorithm.lanes;
    Problem lane = problem;
    lane.lane = number;
    lane.elements = problem.elements / parts + 1;
    if (of_longer > 0) add_lanes(sum, cost_model(lane), of_longer);
    lane.elements = problem.elements / parts;
    if (lane.elements > 0) add_lanes(sum, cost_model(lane), segments - of_longer);
  }
  return sum;
}

// Returns where each lane of each segment begins in the vector, and the end.
std::vector<Count> cut(Count elements, int segments, std::span<const Count> weights) {
  const auto lanes = static_cast<Count>(weights.size());
  std::vector<Count> begins{0};
  const auto equal = [&](Count weight) { return weight == weights.front(); };
  if (std::all_of(weights.begin(), weights.end(), equal)) {
    const Blocks blocks(elements, segments * lanes);
    for (Count part = 1; part <= blocks.parts; ++part) begins.push_back(blocks.begin(part));
    return begins;
  }
  __extension__ using Wide = __int128;  // elements times weights exceeds 64 bits
  const Count total = std::accumulate(weights.begin(), weights.end(), Count{0});
  const Blocks blocks(elements, segments);
  for (Count segment = 0; segment < segments; ++segment) {
    Count weight = 0;
    for (const Count its : weights) {
      weight += its;
      begins.push_back(blocks.begin(segment) +
                       static_cast<Count>(Wide{blocks.size(segment)} * weight / total));
    }
  }
  return begins;
}

}  // namespace

std::string unsupported(const Algorithm& algorithm, const Problem& problem) {
  const auto& known = algorithm.collectives;
  if (std::find(known.begin(), known.end(), problem.collective) == known.end())
    return concat(algorithm.name, " has no ", name(problem.collective), " form");
  return algorithm.unsupported_reason ? algorithm.unsupported_reason(problem) : "";
}

std::vector<Lane> lanes_of(const Algorithm& algorithm, const Problem& problem, int segments) {
  expect_lanes(problem, segments);
  const std::vector<Count> weights = algorithm.lane_weights
                                         ? algorithm.lane_weights(problem)
                                         : std::vector<Count>(index(algorithm.lanes), 1);
  const bool passes_on = algorithm.pipelined && segments > 1;
  const std::vector<Count> begins = cut(problem.elements, passes_on ? 1 : segments, weights);
  std::vector<Lane> lanes;
  for (std::size_t part = 0; part + 1 < begins.size(); ++part) {
    if (begins[part] == begins[part + 1]) continue;
    Lane lane{problem, begins[part]};
    lane.problem.elements = begins[part + 1] - begins[part];
    lane.problem.lane = static_cast<std::int32_t>(part % weights.size());
    if (segments > 1 && !passes_on)
      lane.turn = {lane.problem.lane, static_cast<std::int32_t>(part / weights.size())};
    if (algorithm.in_turn) lane.turn.channel = 0;
    if (const Turn own = algorithm.turn ? algorithm.turn(lane.problem) : Turn{}; own.waits())
      lane.turn = {own.channel,
                   static_cast<std::int32_t>(part - index(lane.problem.lane)) + own.piece};
    if (passes_on) lane.problem.pieces = segments;
    if (algorithm.chunks_per_rank)
      lane.problem.chunks_per_rank = algorithm.chunks_per_rank(lane.problem);
    lanes.push_back(lane);
  }
  return lanes;
}

int usual_segments(const Algorithm& algorithm, const Problem& problem, bool has_links) {
  return has_links && algorithm.usual_segments ? algorithm.usual_segments(problem) : 1;
}

Cost predicted_cost(const Algorithm& algorithm, const Problem& problem, int segments) {
  return sum_over_lanes(algorithm, problem, segments,
                        [&](const Problem& p) { return algorithm.cost_model(p); });
}

Count most_rounds(const Algorithm& algorithm, const Problem& problem, int segments) {
  Count most = 0;
  for (Rank r = 0; r < problem.ranks; ++r)
    most = std::max(most, predicted_rank_cost(algorithm, problem, r, segments).rounds);
  return most;
}

Cost predicted_rank_cost(const Algorithm& algorithm, const Problem& problem, Rank me,
                         int segments) {
  return sum_over_lanes(algorithm, problem, segments,
                        [&](const Problem& p) { return algorithm.rank_cost_model(p, me); });
}

}  // namespace arlab
