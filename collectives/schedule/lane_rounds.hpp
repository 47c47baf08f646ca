// LaneRounds: an algorithm's rounds as actions on elements of the whole vector, without memory.
#pragma once

#include <span>
#include <vector>

#include "algorithms/algorithm.hpp"
#include "algorithms/round_limit.hpp"

namespace arlab::collectives {

/// A range of elements of the whole vector.
struct ElementRange {
  Count first = 0;
  Count elements = 0;  ///< at least 1
};

/// An action on elements: one message, of one range or of several in their order.
struct ElementAction {
  ActionKind kind = ActionKind::send;
  Rank peer = 0;
  Count elements = 0;  ///< at least 1
  std::span<const ElementRange> ranges;
};

/// One lane of one rank: its program, round by round.
class LaneRounds {
 public:
  /// `granule`: chunks begin at multiples of that number of elements of the whole vector, which has
  /// `whole`.
  LaneRounds(const Algorithm& algorithm, const Lane& lane, Rank me, Count granule = 1,
             Count whole = 0)
      : program_(algorithm, lane.problem, me),
        blocks_(lane.problem.blocks()),
        offset_(lane.offset),
        granule_(granule),
        whole_(whole) {}

  /// With chunks of any sizes: chunk c is the elements [begins[c], begins[c + 1]).
  LaneRounds(const Algorithm& algorithm, const Problem& problem, std::span<const Count> begins,
             Rank me)
      : program_(algorithm, problem, me), blocks_(problem.blocks()), begins_(begins) {}

  /// Advances to the next round that moves any elements. Returns false at the end of the program.
  /// Throws Error(check) beyond the algorithm's RoundLimit.
  bool next();
  /// Its actions, without empty ones.
  std::span<const ElementAction> round() const { return round_; }
  /// Cost of the rounds so far, including those that move nothing.
  Cost cost() const { return cost_; }

 private:
  Rank parts() const { return static_cast<Rank>(blocks_.parts); }
  std::size_t ranges_in(Round round) const;
  void add_ranges(const Chunks& chunks);
  ElementRange range_of(const ChunkRun& run) const;
  Count rounded(Count begin) const {
    return granule_ == 1 || begin == whole_ ? begin : begin / granule_ * granule_;
  }

  LimitedProgram program_;
  Blocks blocks_;
  std::span<const Count> begins_;  // empty: balanced blocks
  Count offset_ = 0, granule_ = 1, whole_ = 0;
  std::vector<ElementAction> round_;
  std::vector<ElementRange> ranges_;  // of all actions of the round
  Cost cost_;
};

/// Adds a lane's cost to that of a rank's other lanes; the rounds are those of the longest.
void add_lane(const Cost& lane, Cost& sum);

/// Returns what rank `me` must hold at the end of a lane (Spec), in as few ranges as possible.
std::vector<ElementRange> needed_at_end(const Lane& lane, Rank me);

/// Returns what rank `me` contributes at the start (Spec), in as few ranges as possible.
std::vector<ElementRange> held_at_start(const Problem& problem, Rank me);

/// Throws Error(usage) unless the algorithm solves the problem on a backend of `ranks` ranks.
void check(const Algorithm& algorithm, const Problem& problem, Rank ranks);

}  // namespace arlab::collectives
