#include "bench/validation/calibrated/rounds.hpp"

#include <algorithm>
#include <cmath>

#include "algorithms/algorithm.hpp"
#include "algorithms/base/error.hpp"

namespace arlab::simulator {
namespace {

// Several messages to or from the rank take turns at its port.
MessageRound described(const Problem& problem, Round round) {
  MessageRound r;
  Count sends = 0, receives = 0;
  Rank to = -1, from = -1;
  for (const Action& action : round) {
    const double bytes = static_cast<double>(problem.blocks().size(action.chunks)) *
                         static_cast<double>(kElementBytes);
    const Rank away = std::min(problem.wrap(action.peer), problem.wrap(-Count{action.peer}));
    r.distance = std::max(r.distance, away);
    r.bytes = std::max(r.bytes, bytes);
    (action.sends() ? to : from) = action.peer;
    ++(action.sends() ? sends : receives);
    if (action.kind == ActionKind::reduce) r.reduced += bytes;
  }
  r.count = std::max(sends, receives);
  r.reduced /= static_cast<double>(r.count);
  r.shift = to != from;
  r.sends = sends > 0;
  return r;
}

// Blocks differ by one element, which is not another round.
bool alike(const MessageRound& a, const MessageRound& b) {
  constexpr double kElement = static_cast<double>(kElementBytes);
  return a.distance == b.distance && a.shift == b.shift && a.sends == b.sends &&
         (a.reduced > 0) == (b.reduced > 0) && std::abs(a.bytes - b.bytes) <= kElement;
}

}  // namespace

std::vector<MessageRound> message_rounds(std::string_view algorithm, Rank ranks, Count bytes) {
  const Algorithm& entry = find_algorithm(algorithm);
  const Problem problem{.ranks = ranks, .elements = std::max<Count>(1, bytes / kElementBytes)};
  if (const std::string reason = unsupported(entry, problem); !reason.empty())
    fail(Blame::usage, reason);
  std::vector<MessageRound> rounds;
  for (Program program = entry.program(problem, 0); program.next();) {
    const MessageRound next = described(problem, program.round());
    if (!rounds.empty() && alike(rounds.back(), next))
      rounds.back().count += next.count;
    else
      rounds.push_back(next);
  }
  return rounds;
}

}  // namespace arlab::simulator
