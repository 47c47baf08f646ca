#include "collectives/schedule/lane_rounds.hpp"

#include <algorithm>
#include <string>

#include "algorithms/base/error.hpp"
#include "algorithms/spec.hpp"

namespace arlab::collectives {

ElementRange LaneRounds::range_of(const ChunkRun& run) const {
  if (begins_.empty()) {
    const Count first = rounded(offset_ + blocks_.begin(run.first));
    return {first, rounded(offset_ + blocks_.begin(Count{run.first} + run.count)) - first};
  }
  const Count first = begins_[index(run.first)];
  return {first, begins_[index(run.first + run.count)] - first};
}

void LaneRounds::add_ranges(const Chunks& chunks) {
  for_each_run(chunks, parts(), [&](const ChunkRun& run) {
    const ElementRange range = range_of(run);
    if (range.elements > 0) ranges_.push_back(range);
  });
}

std::size_t LaneRounds::ranges_in(Round round) const {
  std::size_t ranges = 0;
  for (const Action& action : round) ranges += index(runs_of(action.chunks, parts()));
  return ranges;
}

bool LaneRounds::next() {
  while (program_.next()) {
    ++cost_.rounds;
    round_.clear();
    ranges_.clear();
    ranges_.reserve(ranges_in(program_.round()));  // the actions point into it
    for (const Action& action : program_.round()) {
      const std::size_t begin = ranges_.size();
      add_ranges(action.chunks);
      if (ranges_.size() == begin) continue;
      ElementAction its{action.kind, action.peer, 0, {}};
      for (std::size_t i = begin; i < ranges_.size(); ++i) its.elements += ranges_[i].elements;
      its.ranges = {ranges_.data() + begin, ranges_.size() - begin};
      round_.push_back(its);
      if (!action.sends()) continue;
      ++cost_.messages;
      cost_.elements += its.elements;
    }
    if (!round_.empty()) return true;
  }
  return false;
}

void add_lane(const Cost& lane, Cost& sum) {
  sum.messages += lane.messages;
  sum.elements += lane.elements;
  sum.rounds = std::max(sum.rounds, lane.rounds);
}

namespace {

// The chunks of a lane that are `wanted`, in as few ranges as possible.
template <class Wanted>
std::vector<ElementRange> ranges_of(const Lane& lane, Wanted wanted) {
  const Blocks blocks = lane.problem.blocks();
  std::vector<ElementRange> ranges;
  for (Rank chunk = 0; chunk < lane.problem.parts(); ++chunk) {
    if (!wanted(chunk) || blocks.size(chunk) == 0) continue;
    const Count first = lane.offset + blocks.begin(chunk);
    if (!ranges.empty() && ranges.back().first + ranges.back().elements == first)
      ranges.back().elements += blocks.size(chunk);
    else
      ranges.push_back({first, blocks.size(chunk)});
  }
  return ranges;
}

}  // namespace

std::vector<ElementRange> needed_at_end(const Lane& lane, Rank me) {
  const Spec spec(lane.problem);
  return ranges_of(lane, [&](Rank chunk) { return spec.needs_at_end(me, chunk); });
}

std::vector<ElementRange> held_at_start(const Problem& problem, Rank me) {
  const Spec spec(problem);
  return ranges_of({problem, 0}, [&](Rank chunk) { return spec.holds_at_start(me, chunk); });
}

void check(const Algorithm& algorithm, const Problem& problem, Rank ranks) {
  check(problem);
  if (problem.ranks != ranks)
    fail(Blame::usage, "the problem is for " + std::to_string(problem.ranks) +
                           " ranks, but the backend runs " + std::to_string(ranks));
  if (const std::string reason = unsupported(algorithm, problem); !reason.empty())
    fail(Blame::usage, reason);
}

}  // namespace arlab::collectives
