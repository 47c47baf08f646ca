// MatchedSchedule: the rounds of all ranks and lanes, with messages matched, in an executable
// order.
//
// Threads and MPI match messages as they arrive. A GPU's queues are filled ahead, so the receiver
// must know which round of the sender it reads. Programs are pure, so every process computes the
// whole schedule by itself. A step has all messages whose two rounds have both started. A round
// ends with its last message, and the lane's next round starts. If every rank performs its messages
// step by step, ranks cannot deadlock, whatever the lanes do. A rank's messages of a step are one
// NCCL group.
#pragma once

#include <cstdint>
#include <vector>

#include "collectives/schedule/lane_rounds.hpp"

namespace arlab::collectives {

/// A message, or one range of it: queues of a GPU move each range by itself, without packing.
struct MatchedMessage {
  std::int32_t lane = 0;
  Rank source = 0, target = 0;
  ActionKind kind = ActionKind::reduce;                    ///< what the target does with it
  Count source_first = 0, target_first = 0, elements = 0;  ///< of the whole vector
  std::uint32_t source_round = 0, target_round = 0;        ///< indices into MatchedSchedule::rounds
  std::uint32_t position = 0;  ///< in the target round's listed order of receives
};

struct MatchedRound {
  std::int32_t lane = 0;
  Rank rank = 0;
  std::uint32_t number = 0;             ///< of its program's rounds, from 1
  std::uint32_t begins = 0, ends = 0;   ///< its first and last step
  std::vector<std::uint32_t> sends;     ///< indices into MatchedSchedule::messages
  std::vector<std::uint32_t> receives;  ///< likewise, in listed order
};

struct MatchedSchedule {
  std::vector<MatchedMessage>
      messages;  ///< by step; of a step's messages, by target round and position
  std::vector<std::uint32_t> steps{0};  ///< step s is messages [steps[s], steps[s+1])
  std::vector<MatchedRound> rounds;     ///< by first step
  Count contributed = 0;  ///< elements of each rank that are reduced; 0: the collective only copies
  std::vector<std::vector<ElementRange>> divided;  ///< of each rank: what avg divides at the end
  std::vector<Cost> sent;                          ///< by each rank

  std::size_t step_count() const { return steps.size() - 1; }
};

/// `granule`: chunks may begin at multiples of that number of elements, instead of being of equal
/// size: where a chunk has several granules and the result does not show how the vector was cut.
/// The ranks then send the same messages, and in all the same elements. Throws Error(usage) if the
/// algorithm does not support the problem or the messages are too many, Error(check) if ranks would
/// wait forever or the two ends of a message disagree.
MatchedSchedule match_schedule_of(const Algorithm& algorithm, const Problem& problem,
                                  int segments = 1, Count granule = 1);

}  // namespace arlab::collectives
