#include "collectives/schedule/lane_rounds.hpp"

#include <algorithm>
#include <string>

#include "algorithms/base/error.hpp"
#include "algorithms/spec.hpp"

namespace arlab::collectives {

Piece LaneRounds::piece_of(const ChunkRange& chunks) const {
  if (begins_.empty()) return {offset_ + blocks_.begin(chunks.first), blocks_.size(chunks)};
  const Count first = begins_[static_cast<std::size_t>(chunks.first)];
  return {first, begins_[static_cast<std::size_t>(chunks.end())] - first};
}

bool LaneRounds::next() {
  while (program_.next()) {
    ++cost_.rounds;
    round_.clear();
    for (const Action& action : program_.round()) {
      const Piece piece = piece_of(action.chunks);
      if (piece.elements == 0) continue;
      round_.push_back({action.kind, action.peer, piece});
      if (!action.sends()) continue;
      ++cost_.messages;
      cost_.elements += piece.elements;
    }
    if (!round_.empty()) return true;
  }
  return false;
}

Cost sum_of(std::span<const LaneRounds> lanes) {
  Cost sum;
  for (const LaneRounds& lane : lanes) {
    sum.messages += lane.cost().messages;
    sum.elements += lane.cost().elements;
    sum.rounds = std::max(sum.rounds, lane.cost().rounds);
  }
  return sum;
}

std::vector<Piece> needed_at_end(const Lane& lane, Rank me) {
  const Spec spec(lane.problem);
  const Blocks blocks = lane.problem.blocks();
  std::vector<Piece> pieces;
  for (Rank chunk = 0; chunk < lane.problem.ranks; ++chunk) {
    if (!spec.needs_at_end(me, chunk) || blocks.size(chunk) == 0) continue;
    const Count first = lane.offset + blocks.begin(chunk);
    if (!pieces.empty() && pieces.back().first + pieces.back().elements == first)
      pieces.back().elements += blocks.size(chunk);
    else
      pieces.push_back({first, blocks.size(chunk)});
  }
  return pieces;
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
