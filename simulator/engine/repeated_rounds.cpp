#include "simulator/engine/repeated_rounds.hpp"

#include <algorithm>
#include <utility>

namespace arlab::simulator {

bool RepeatedRounds::next(Index actor) {
  constexpr Index kInterval = 8;  // rounds: a state takes about as long as a tenth of a round
  const Index round = ++rounds_[actor];
  if (actor == 0) is_due_ = before_ || round % kInterval == 0;
  if (!ahead_.empty())
    if (const Ahead ahead = std::exchange(ahead_[actor], Ahead::no); ahead != Ahead::no)
      return ahead == Ahead::round;
  return actors_.next(actor);
}

std::optional<RepeatedRounds::Skip> RepeatedRounds::observe(Time now, std::vector<Flight> flights,
                                                            Time latest) {
  is_due_ = false;
  std::optional<State> current = state(now, std::move(flights));
  std::optional<State> before = std::exchange(before_, std::nullopt);
  if (!before)
    before_ = std::move(current);
  else if (current && repeats(*before, *current))
    return skip(*before, *current, latest);
  return {};
}

// Returns nothing if a program has ended.
std::optional<RepeatedRounds::State> RepeatedRounds::state(Time now,
                                                           std::vector<Flight> flights) const {
  State s;
  s.now = now;
  s.flights = std::move(flights);
  s.rounds = rounds_;
  for (Index a = 0; a < actors_.size(); ++a) {
    const Actor& actor = actors_[a];
    if (!actor.program) return {};
    s.depth.push_back(actor.depth);
    s.next_depth.push_back(actor.next_depth);
    s.left.push_back(actor.left);
    s.done.push_back(std::max(Time{}, actor.done - now));
    s.first.push_back(s.messages.size());
    const Round round = actor.pending.round();
    for (std::size_t i = 0; i < round.size(); ++i) {
      s.messages.push_back(message(a, round[i]));
      s.messages.back().taken = actor.pending.is_taken(i);
    }
  }
  s.first.push_back(s.messages.size());
  return s;
}

bool RepeatedRounds::repeats(State& before, State& now) {
  const Index longer = now.depth[0] - before.depth[0];
  for (std::size_t a = 0; a < now.rounds.size(); ++a)
    if (now.rounds[a] != before.rounds[a] + 1 || now.depth[a] != before.depth[a] + longer ||
        now.next_depth[a] != before.next_depth[a] + longer)
      return false;
  if (now.left != before.left || now.done != before.done || now.first != before.first ||
      now.messages != before.messages || now.flights.size() != before.flights.size())
    return false;
  for (Flight& flight : before.flights) flight.depth += longer;
  const auto by_key = [](const Flight& a, const Flight& b) { return a.key() < b.key(); };
  std::sort(before.flights.begin(), before.flights.end(), by_key);
  std::sort(now.flights.begin(), now.flights.end(), by_key);
  return now.flights == before.flights;
}

std::optional<RepeatedRounds::Skip> RepeatedRounds::skip(const State& before, const State& now,
                                                         Time latest) {
  const Time length = now.now - before.now;
  const Index longer = now.depth[0] - before.depth[0];
  keep_rounds();
  Skip skipped;
  while (now.now + skipped.time <= latest && advance_all(now)) {
    for (Index a = 0; a < actors_.size(); ++a) {
      actors_[a].depth += longer;
      actors_[a].next_depth += longer;
    }
    ++skipped.rounds;
    skipped.time = in_calendar(skipped.time + length);
    skipped.depth += longer;
  }
  if (skipped.rounds == 0) return {};
  return skipped;
}

// The actors stay in their rounds while their programs advance.
void RepeatedRounds::keep_rounds() {
  std::vector<Action> kept;
  for (const Actor& actor : actors_)
    kept.insert(kept.end(), actor.pending.round().begin(), actor.pending.round().end());
  kept_ = std::move(kept);
  const Action* next = kept_.data();
  for (Index a = 0; a < actors_.size(); ++a) {
    actors_[a].pending.move_to(next);
    next += actors_[a].pending.round().size();
  }
  ahead_.assign(actors_.size(), Ahead::no);
}

// Advances all programs by one round. If one does not repeat its round, it and those before it are
// ahead of their actors.
bool RepeatedRounds::advance_all(const State& state) {
  for (Index a = 0; a < actors_.size(); ++a) {
    const bool more = actors_.next(a);
    if (more && is_repeated(a, state)) continue;
    std::fill_n(ahead_.begin(), a, Ahead::round);
    ahead_[a] = more ? Ahead::round : Ahead::end;
    return false;
  }
  return true;
}

bool RepeatedRounds::is_repeated(Index actor, const State& state) const {
  const Round round = actors_.round(actor);
  const Message* messages = state.messages.data() + state.first[actor];
  if (round.size() != state.first[actor + 1] - state.first[actor]) return false;
  for (std::size_t i = 0; i < round.size(); ++i) {
    Message wanted = messages[i];
    wanted.taken = false;
    if (message(actor, round[i]) != wanted) return false;
  }
  return true;
}

}  // namespace arlab::simulator
