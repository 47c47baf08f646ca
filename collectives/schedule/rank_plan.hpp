// RankPlan: one rank's part of a plan, where every rank has a device of its own: in each step a
// group of messages, then what is done with those that had to land in scratch.
//
// What will be added lands in scratch, and is added once the round's last message is there: by then
// all sends of the round have left, so that each had the value at the round's start.
#pragma once

#include <cstddef>
#include <vector>

#include "collectives/reduce/dtype.hpp"
#include "collectives/schedule/matched_schedule.hpp"

namespace arlab::collectives {

/// One end of a message.
struct PartCall {
  bool sends = false;
  Rank peer = 0;
  bool in_scratch = false;
  std::size_t offset = 0;  ///< bytes, in the vector or in scratch
  std::size_t bytes = 0;
};

/// What is done with a message in scratch.
struct PartUse {
  ActionKind kind = ActionKind::reduce;
  std::size_t scratch = 0;  ///< bytes
  std::size_t offset = 0;   ///< in the vector, bytes
  Count elements = 0;
};

struct PartStep {
  std::vector<PartCall> calls;  ///< at once; those of one pair of ranks meet in this order
  std::vector<PartUse> uses;    ///< afterwards, in this order
};

struct RankPlan {
  std::vector<PartStep> steps;  ///< those in which the rank has something to do
  std::vector<Piece> divided;   ///< at the end, by avg
  std::size_t scratch = 0;      ///< bytes
  Cost sent;
};

RankPlan part_of(const MatchedSchedule& plan, Rank rank, Operand operand);

}  // namespace arlab::collectives
