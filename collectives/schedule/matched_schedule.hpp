// Plan: the rounds of all ranks and lanes with their messages matched, in an order that can be run.
//
// Threads and MPI match messages as they come. A GPU's queues must be filled ahead: whoever
// enqueues a receive must know which round of the sender it reads. Programs are pure, so every
// process can work out the whole plan by itself. It goes in steps: in each one, all messages go
// whose two rounds have both started; a round whose messages have all gone makes place for the
// next. So if every rank does its messages step by step, no rank waits for one that waits for it,
// whatever the lanes do. A rank's messages of one step are one NCCL group.
#pragma once

#include <cstdint>
#include <vector>

#include "collectives/schedule/lane_rounds.hpp"

namespace arlab::collectives {

struct MatchedMessage {
  std::int32_t lane = 0;
  Rank source = 0, target = 0;
  ActionKind kind = ActionKind::reduce;                    ///< what the target does with it
  Count source_first = 0, target_first = 0, elements = 0;  ///< of the whole vector
  std::uint32_t source_round = 0, target_round = 0;        ///< indices into Plan::rounds
  std::uint32_t position = 0;  ///< in the target round's listed order of receives
};

struct MatchedRound {
  std::int32_t lane = 0;
  Rank rank = 0;
  std::uint32_t begins = 0, ends = 0;   ///< its first and last step
  std::vector<std::uint32_t> sends;     ///< indices into Plan::messages
  std::vector<std::uint32_t> receives;  ///< likewise, in listed order
};

struct MatchedSchedule {
  std::vector<MatchedMessage>
      messages;  ///< by step; of a step's messages, by target round and position
  std::vector<std::uint32_t> steps{0};      ///< step s is messages [steps[s], steps[s+1])
  std::vector<MatchedRound> rounds;         ///< by first step
  std::vector<std::vector<Piece>> divided;  ///< of each rank: what avg divides at the end
  std::vector<Cost> sent;                   ///< by each rank

  std::size_t step_count() const { return steps.size() - 1; }
};

/// Throws Error(usage) if the algorithm does not support the problem or the messages are too many,
/// Error(check) where ranks would wait for ever or two ends of a message disagree.
MatchedSchedule plan_of(const Algorithm& algorithm, const Problem& problem, int segments = 1);

}  // namespace arlab::collectives
