// RankPlan: one rank's part of a matched schedule, if every rank has its own device. Each step is a
// group of messages, and then the use of those that landed in scratch.
//
// Messages to be reduced land in scratch, and are reduced after the round's last message. By then
// all sends of the round are complete, so that each had the value at the round's start.
//
// Lanes work on parts of the vector that do not overlap. In two waves, the even lanes' messages of
// a step are one group and the odd lanes' another, so that one wave is applied while the other
// travels. All ranks must have the same waves, whose groups then follow one another in the same
// order everywhere.
#pragma once

#include <cstddef>
#include <vector>

#include "collectives/reduce/dtype.hpp"
#include "collectives/schedule/matched_schedule.hpp"

namespace arlab::collectives {

/// One end of a message.
struct PlannedMessage {
  bool sends = false;
  Rank peer = 0;
  bool in_scratch = false;
  std::size_t offset = 0;  ///< bytes, in the vector or in scratch
  std::size_t bytes = 0;
};

/// How a message in scratch is applied.
struct PlannedUse {
  ActionKind kind = ActionKind::reduce;
  std::size_t scratch = 0;  ///< bytes
  std::size_t offset = 0;   ///< in the vector, bytes
  Count elements = 0;
};

/// A round of the rank's program.
struct PlannedRound {
  std::int32_t lane = 0;
  std::uint32_t number = 0;  ///< from 1
};

struct PlannedStep {
  int wave = 0;
  std::vector<PlannedRound> rounds;   ///< that begin with it
  std::vector<PlannedMessage> calls;  ///< at once; those between two ranks match in this order
  std::vector<PlannedUse> uses;       ///< afterwards, in this order
};

struct RankPlan {
  std::vector<PlannedStep> steps;  ///< those in which the rank takes part
  int waves = 1;
  std::size_t lanes = 0;              ///< of all ranks
  Count contributed = 0;              ///< see MatchedSchedule
  std::vector<ElementRange> divided;  ///< at the end, by avg
  std::size_t scratch = 0;            ///< bytes
  Cost sent;
};

/// `waves`: 1 or 2; there are no more than lanes.
RankPlan plan_of_rank(const MatchedSchedule& plan, Rank rank, Operand operand, int waves = 1);

/// Returns how many bytes a rank applies in a step, in the mean over ranks and steps.
double bytes_applied_per_step(const MatchedSchedule& plan, Rank ranks, std::size_t element);

}  // namespace arlab::collectives
