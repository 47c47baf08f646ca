#include "algorithms/verify/action_text.hpp"

#include "algorithms/base/text.hpp"

namespace arlab {

std::string chunks_text(const Chunks& c, Rank ranks) {
  if (c.count == 1) return concat("chunk ", c.first);
  if (c.stride != 1) return concat(c.count, " chunks from ", c.first, " in steps of ", c.stride);
  const Count last = Count{c.first} + c.count - 1;
  if (c.count < 1) return concat(c.count, " chunks");
  if (c.count > ranks) return concat(c.count, " chunks from ", c.first, " on");
  if (last < ranks) return concat("chunks ", c.first, " to ", last);
  return concat("chunks ", c.first, " to ", ranks - 1, " and 0 to ", last - ranks);
}

std::string action_text(const Action& a, Rank ranks) {
  const std::string chunks = chunks_text(a.chunks, ranks);
  switch (a.kind) {
    case ActionKind::send:
      return concat("send ", chunks, " to rank ", a.peer);
    case ActionKind::reduce:
      return concat("reduce ", chunks, " from rank ", a.peer);
    case ActionKind::replace:
      return concat("replace ", chunks, " from rank ", a.peer);
    case ActionKind::give:
      return concat("give ", chunks, " to the sum of team ", a.peer);
    case ActionKind::take:
      return concat("take the sum of ", chunks, " of team ", a.peer);
    case ActionKind::join:
      return concat("join the sum of ", chunks, " of team ", a.peer);
  }
  return "?";
}

std::string place_text(Rank rank, Count round) {
  return concat("rank ", rank, ", round ", round, ": ");
}

}  // namespace arlab
