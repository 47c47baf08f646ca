#include "collectives/mpi/posting_order.hpp"

#include <algorithm>

namespace arlab::collectives {

PostingOrder::PostingOrder(std::span<const Rank> machines, Rank me)
    : last_round_to_(machines.size()) {
  for (const Rank machine : machines)
    near_.push_back(machine == machines[static_cast<std::size_t>(me)]);
  all_near_ = std::find(near_.begin(), near_.end(), false) == near_.end();
}

bool PostingOrder::sends_first(std::span<const Transfer> round) {
  if (all_near_) return false;
  ++round_;
  for (const Transfer& t : round)
    if (t.kind == ActionKind::send && !near_[static_cast<std::size_t>(t.peer)])
      last_round_to_[static_cast<std::size_t>(t.peer)] = round_;
  return std::any_of(round.begin(), round.end(), [&](const Transfer& t) {
    return t.kind != ActionKind::send && last_round_to_[static_cast<std::size_t>(t.peer)] == round_;
  });
}

}  // namespace arlab::collectives
