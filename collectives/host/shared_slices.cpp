#include "collectives/host/shared_slices.hpp"

#include <string>

#include "algorithms/problem.hpp"
#include "collectives/patience.hpp"
#include "collectives/reduce/reduce.hpp"
#include "collectives/schedule/stalled_state.hpp"

namespace arlab::collectives {

void shared_slices(Communicator& communicator, std::byte* data, Count elements, Operand operand,
                   std::vector<Transfer>& round) {
  const Rank me = communicator.rank(), ranks = communicator.ranks();
  const Blocks slices(elements, ranks);
  const auto begin_of = [&](Rank slice) {
    return data + static_cast<std::size_t>(slices.begin(slice)) * size_of(operand.dtype);
  };
  const auto transfer = [&](ActionKind kind, Rank peer, Rank slice) {
    if (slices.size(slice) > 0) round.push_back({kind, peer, begin_of(slice), slices.size(slice)});
  };
  const Inside inside(communicator.place(), 1);
  std::uint32_t number = 0;
  const auto exchange = [&] { communicator.exchange(0, round, operand); };
  const auto state = [&] { return stalled_places(communicator.places(), me); };
  const auto doing = [&] {
    return std::string(kSharedSlices) + " of " + std::to_string(elements) + " " +
           std::string(name(operand.dtype)) + ", round " + std::to_string(number);
  };
  const auto with_all_others = [&](ActionKind kind, auto sent_to, auto received_from) {
    inside.begin_round(0, ++number);
    round.clear();
    for (Rank step = 1; step < ranks; ++step) {
      const Rank to = (me + step) % ranks, from = (me - step + ranks) % ranks;
      transfer(ActionKind::send, to, sent_to(to));
      transfer(kind, from, received_from(from));
    }
    if (!round.empty()) naming([&] { explaining(exchange, state); }, doing);
  };
  divide_before(data, elements, operand, ranks);
  const auto mine = [&](Rank) { return me; };
  const auto theirs = [](Rank peer) { return peer; };
  with_all_others(ActionKind::reduce, theirs, mine);
  divide_after(begin_of(me), slices.size(me), operand, ranks);
  with_all_others(ActionKind::replace, mine, theirs);
}

}  // namespace arlab::collectives
