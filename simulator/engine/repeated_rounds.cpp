#include "simulator/engine/repeated_rounds.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

namespace arlab::simulator {
namespace {

constexpr RepeatedRounds::Index kInterval = 8;  // rounds: a state takes a tenth of a round

std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15;
  return hash ^ hash >> 32;
}

}  // namespace

RepeatedRounds::Message RepeatedRounds::message(Index actor, const Action& action) const {
  const bool alike = reductions_are_free_ && action.kind == ActionKind::reduce;
  return {alike ? ActionKind::replace : action.kind, action.peer, actors_.bytes_of(actor, action),
          false};
}

bool RepeatedRounds::next(Index actor) {
  const Index round = ++rounds_[actor];
  if (actor == 0) is_due_ = before_ ? round >= due_ : round % kInterval == 0;
  if (Ahead& ahead = ahead_[actor]; is_ahead(actor)) {
    if (ahead.same > 0) {
      --ahead.same;
      return true;
    }
    const bool more = ahead.then == Ahead::Then::round;
    ahead.then = Ahead::Then::current;
    if (more) note_round(actor);
    return more;
  }
  if (!actors_.next(actor)) return false;
  note_round(actor);
  return true;
}

void RepeatedRounds::note_round(Index actor) {
  std::uint64_t signature = 0;
  for (const Action& action : actors_.round(actor)) {
    const Message m = message(actor, action);
    signature = mixed(signature, static_cast<std::uint64_t>(m.kind));
    signature = mixed(signature, static_cast<std::uint64_t>(m.peer));
    signature = mixed(signature, static_cast<std::uint64_t>(m.bytes));
  }
  if (std::exchange(signatures_[actor], signature) != signature) since_[actor] = rounds_[actor];
}

std::optional<RepeatedRounds::Skip> RepeatedRounds::observe(Time now, std::vector<Flight> flights,
                                                            Time latest) {
  is_due_ = false;
  std::optional<State> current = state(now, std::move(flights));
  std::optional<State> before = std::exchange(before_, std::nullopt);
  if (!current) return {};
  if (!before)
    expect(std::move(*current));
  else if (before->equals(*current))
    return skip(*before, *current, latest);
  return {};
}

// Returns nothing if a program has ended.
std::optional<RepeatedRounds::State> RepeatedRounds::state(Time now,
                                                           std::vector<Flight> flights) const {
  State s;
  s.at = {.now = now, .round = rounds_[0], .depth = actors_[0].depth};
  s.flights = std::move(flights);
  for (Flight& flight : s.flights) flight.depth -= s.at.depth;
  std::sort(s.flights.begin(), s.flights.end(),
            [](const Flight& a, const Flight& b) { return a.key() < b.key(); });
  for (Index a = 0; a < actors_.size(); ++a) {
    const Actor& actor = actors_[a];
    if (!actor.program) return {};
    s.rounds.push_back(rounds_[a] - s.at.round);
    s.depth.push_back(actor.depth - s.at.depth);
    s.next_depth.push_back(actor.next_depth - s.at.depth);
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

bool RepeatedRounds::State::equals(const State& other) const {
  return rounds == other.rounds && depth == other.depth && next_depth == other.next_depth &&
         left == other.left && done == other.done && first == other.first &&
         messages == other.messages && flights == other.flights;
}

std::uint64_t RepeatedRounds::State::hash() const {
  std::uint64_t hash = 0;
  for (const std::vector<Index>* of_actors : {&rounds, &depth, &next_depth, &left})
    for (const Index value : *of_actors) hash = mixed(hash, value);
  for (const Time time : done) hash = mixed(hash, static_cast<std::uint64_t>(time.count()));
  for (const Message& m : messages) hash = mixed(hash, m.taken);
  for (const Flight& f : flights) {
    hash = mixed(hash, f.receiver);
    hash = mixed(hash, static_cast<std::uint64_t>(f.change.count()));
    hash = mixed(hash, static_cast<std::uint64_t>(f.since.count()));
    hash = mixed(hash, std::bit_cast<std::uint64_t>(f.left));
    hash = mixed(hash, std::bit_cast<std::uint64_t>(f.rate));
  }
  return hash;
}

// A state that has been there returns after as many rounds once more, others perhaps after one.
void RepeatedRounds::expect(State state) {
  const Index round = state.at.round;
  const auto [seen, is_new] = seen_.try_emplace(state.hash(), round);
  due_ = is_new ? round + 1 : round + (round - std::exchange(seen->second, round));
  before_ = std::move(state);
}

std::optional<RepeatedRounds::Skip> RepeatedRounds::skip(const State& before, const State& now,
                                                         Time latest) {
  const Index period = now.at.round - before.at.round;
  const Time length = now.at.now - before.at.now;
  const Index longer = now.at.depth - before.at.depth;
  for (Index a = 0; a < actors_.size(); ++a)
    if (rounds_[a] - since_[a] < period) return {};  // other messages in between
  keep_rounds();
  Index periods = std::numeric_limits<Index>::max();
  for (Index a = 0; a < actors_.size(); ++a) {
    look_ahead(a);
    periods = std::min(periods, ahead_[a].same / period);
  }
  Skip skipped;
  Index taken = 0;
  for (; taken < periods && now.at.now + skipped.time <= latest; ++taken)
    skipped.time = in_calendar(skipped.time + length);
  if (taken == 0) return {};
  skipped.rounds = Count{taken} * period;
  skipped.depth = taken * longer;
  for (Index a = 0; a < actors_.size(); ++a) {
    ahead_[a].same -= taken * period;
    actors_[a].depth += skipped.depth;
    actors_[a].next_depth += skipped.depth;
  }
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
    kept_rounds_[a] = actors_[a].pending.round();
    next += kept_rounds_[a].size();
  }
}

// Advances the program to its first round that does not repeat the actor's, or to its end.
void RepeatedRounds::look_ahead(Index actor) {
  if (is_ahead(actor)) return;
  Ahead& ahead = ahead_[actor];
  const Index depth = actors_[actor].depth;
  ahead = {};
  while (ahead.then == Ahead::Then::current) {
    if (!actors_.next(actor))
      ahead.then = Ahead::Then::end;
    else if (!is_repeated(actor))
      ahead.then = Ahead::Then::round;
    else
      ++ahead.same, ++actors_[actor].depth;  // the depth ends programs that do not
  }
  actors_[actor].depth = depth;
}

bool RepeatedRounds::is_repeated(Index actor) const {
  const Round now = kept_rounds_[actor], then = actors_.round(actor);
  return std::equal(now.begin(), now.end(), then.begin(), then.end(),
                    [&](const Action& a, const Action& b) {
                      return message(actor, a) == message(actor, b);
                    });
}

}  // namespace arlab::simulator
