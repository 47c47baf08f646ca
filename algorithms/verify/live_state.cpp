#include "algorithms/verify/live_state.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "algorithms/base/text.hpp"
#include "algorithms/round_limit.hpp"
#include "algorithms/verify/action_text.hpp"

namespace arlab {
namespace {

struct Message {
  Count round;  // of its sender, or of its receiver
  Action action;
};

class LiveState {
 public:
  LiveState(const Algorithm& algorithm, const Problem& problem, int element_bytes,
            std::span<const LiveRank> ranks)
      : algorithm_(algorithm), problem_(problem), element_bytes_(element_bytes), ranks_(ranks) {}

  std::string text() {
    constexpr int kMostShown = 16;
    std::string text;
    int shown = 0, more = 0;
    for (Rank r = 0; r < problem_.ranks; ++r) {
      const std::string line = line_of(r, shown < kMostShown);
      if (line.empty()) continue;
      const bool shows = shown < kMostShown || at(r).missing;
      if (shows) text += line;
      ++(shows ? shown : more);
    }
    if (more > 0) text += concat("\n  and ", more, " more ranks wait");
    return text;
  }

 private:
  const LiveRank& at(Rank r) const { return ranks_[index(r)]; }

  // The messages with elements of one rank, in the order of its program.
  std::vector<Message> messages_of(Rank r) const {
    std::vector<Message> all;
    LimitedProgram program(algorithm_, problem_, r);
    for (Count round = 1; program.next(); ++round)
      for (const Action& action : program.round())
        if (bytes_of(action) > 0) all.push_back({round, action});
    return all;
  }

  Count bytes_of(const Action& action) const {
    const Blocks blocks = problem_.blocks();
    Count elements = 0;
    for_each_run(action.chunks, problem_.parts(), [&](const ChunkRun& run) {
      elements += blocks.begin(Count{run.first} + run.count) - blocks.begin(run.first);
    });
    return elements * element_bytes_;
  }

  std::string described(const Action& action) const {
    return concat(action_text(action, problem_.ranks), " (", bytes_of(action), " bytes)");
  }

  // Whether the peer has begun the round in which it sends what `receive` of rank r takes.
  bool is_sent(const std::vector<Message>& mine, const Message& receive, Rank r) const {
    const Rank peer = receive.action.peer;
    const LiveRank& its = at(peer);
    if (its.is == LiveRank::Is::after) return true;
    if (its.is != LiveRank::Is::inside) return false;
    const auto number = std::count_if(mine.data(), &receive, [&](const Message& m) {
      return !m.action.sends() && m.action.peer == peer;
    });
    const std::vector<Message> theirs = messages_of(peer);
    Count sent = 0;
    for (const Message& m : theirs)
      if (m.action.sends() && m.action.peer == r && sent++ == number)
        // A message of the round in which a rank has stopped may not have left it.
        return its.missing ? m.round < its.round : m.round <= its.round;
    return false;
  }

  // Empty if there is nothing to say. Not in full if the line will only be counted.
  std::string line_of(Rank r, bool in_full) const {
    const LiveRank& its = at(r);
    if (its.is == LiveRank::Is::unknown || its.is == LiveRank::Is::after) return "";
    if (its.missing) return line_of_missing(r);
    if (its.is == LiveRank::Is::before) return concat("\n  rank ", r, " has not begun");
    if (!in_full) return " ";
    const std::vector<Message> mine = messages_of(r);
    std::vector<const Message*> round;
    for (const Message& m : mine)
      if (m.round == its.round) round.push_back(&m);
    std::string awaited;
    for (const Message* m : round)
      if (!m->action.sends() && !is_sent(mine, *m, r)) join(described(m->action), awaited);
    if (awaited.empty())
      for (const Message* m : round) join(described(m->action), awaited);
    return awaited.empty() ? "" : concat("\n  ", place_text(r, its.round), "waits to ", awaited);
  }

  static void join(const std::string& item, std::string& list) {
    list += (list.empty() ? "" : ", ") + item;
  }

  // What it has still to send.
  std::string line_of_missing(Rank r) const {
    const LiveRank& its = at(r);
    const Count round = its.is == LiveRank::Is::inside ? its.round : 0;
    const std::string where = round == 0 ? concat("\n  rank ", r, " stopped before its first round")
                                         : concat("\n  ", place_text(r, round), "stopped");
    std::optional<Message> next;
    std::size_t owed = 0;
    for (const Message& m : messages_of(r)) {
      if (!m.action.sends() || m.round < round) continue;
      ++owed;
      if (!next) next = m;
    }
    if (!next) return where + ", with nothing left to send";
    return concat(where, "; it owes ", owed, owed == 1 ? " message" : " messages",
                  ", first: round ", next->round, ", ", described(next->action));
  }

  const Algorithm& algorithm_;
  const Problem& problem_;
  int element_bytes_;
  std::span<const LiveRank> ranks_;
};

}  // namespace

std::string live_state(const Algorithm& algorithm, const Problem& of_lane, int element_bytes,
                       std::span<const LiveRank> by_rank) {
  return LiveState(algorithm, of_lane, element_bytes, by_rank).text();
}

}  // namespace arlab
