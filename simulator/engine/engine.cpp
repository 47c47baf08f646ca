// Engine: the event loop, and the only instantiation of the engine.
#include "simulator/engine/engine.hpp"

#include <algorithm>
#include <functional>
#include <span>
#include <type_traits>
#include <utility>

#include "algorithms/base/stop.hpp"
#include "simulator/engine/engine_receives.inl"
#include "simulator/engine/engine_rounds.inl"
#include "simulator/engine/engine_sends.inl"
#include "simulator/engine/engine_teams.inl"

namespace arlab::simulator {

template <class Source>
Engine<Source>::Engine(Source source, Rank ranks, Bytes element_size, Network& network,
                       const SimulateOptions& options)
    : network_(network),
      synchronous_(network.traits().synchronous),
      changes_(network.traits().has_changes),
      receives_(network.traits().needs_receives),
      knows_sent_(network.traits().knows_sent),
      exclusive_(synchronous_ && !network.traits().links),  // its ports are all that it has
      flight_(network.traits().flight),
      options_(options),
      element_size_(element_size),
      actors_(std::move(source)),
      waiting_(static_cast<std::size_t>(ranks)) {
  outcome_.finish_of.resize(static_cast<std::size_t>(ranks));
  messages_.reserve(actors_.size());
  sorts_lanes_ = synchronous_ && changes_ && actors_.has_lanes();
  if constexpr (std::is_base_of_v<Actors, Source>) {
    if (options.trace) tracer_.emplace(*options.trace, actors_);
    if (options.sweep && !options.trace && synchronous_ && network.shortcuts() && !knows_sent_)
      repeats_.emplace(actors_, network.shortcuts()->reduction(Bytes{1} << 40) == Time{});
  }
  const std::span<const Time> starts = options.starts;
  const auto start_of = [&](Rank rank) { return starts.empty() ? Time{} : starts[index(rank)]; };
  for (Index a = 0; a < actors_.size(); ++a) {
    const Time start = start_of(actors_.rank_of(a));
    queue_.push({.time = start, .bytes = start.count(), .actor = a, .kind = Kind::begin});
  }
}

template <class Source>
SimulationResult Engine<Source>::run() {
  const Time latest = options_.latest;
  if (changes_ || exclusive_)
    while (step(latest)) {
    }
  else if (latest == kNever)
    while (!queue_.empty()) handle_next();
  else
    while (!queue_.empty() && queue_.next_time() <= latest) handle_next();
  if (latest != kNever && (!queue_.empty() || (changes_ && network_.next_change() != kNever))) {
    outcome_.stopped = true;
    return std::move(outcome_);
  }
  for (const Actor& a : actors_) {
    if (a.program)
      fail(Blame::check,
           "the simulated programs deadlock: verify the algorithm to find the rank and round");
    outcome_.sent.rounds = std::max<Count>(outcome_.sent.rounds, a.depth);
  }
  if (!unexpected_.empty())
    fail(Blame::check,
         "the simulated programs send messages that are never received: "
         "verify the algorithm to find them");
  return std::move(outcome_);
}

// With a million ranks every event touches cold memory: prefetch the data of the next events.
// (Always inline: g++ deletes calls of a function that only prefetches.) A rank that wakes has the
// number of an actor only if all ranks have one.
template <class Source>
[[gnu::always_inline]] inline void Engine<Source>::prefetch() const {
  constexpr std::size_t kLine = 64,
                        kFrame = 320;  // bytes; coroutine frames of the catalog have 136 to 320
  if (const Event* e = queue_.upcoming(12); e && e->actor < actors_.size())
    __builtin_prefetch(&actors_[e->actor], 1);
  if (const Event* e = queue_.upcoming(6); e && e->actor < actors_.size()) {
    const Actor& actor = actors_[e->actor];
    const auto round = actor.pending.round();
    __builtin_prefetch(round.data());
    if (round.size() > 1) __builtin_prefetch(&round[1]);
    const auto* frame = static_cast<const char*>(actor.program.address());
    for (std::size_t i = 0; frame && e->kind == Kind::begin && i < kFrame; i += kLine)
      __builtin_prefetch(frame + i, 1);
  }
}

template <class Source>
void Engine<Source>::handle(const Event& e) {
  switch (e.kind) {
    case Kind::begin:
      return begin(e.actor, e.time, Time{e.bytes});
    case Kind::send:
      return exclusive_ ? senders_.push_back(e.actor) : send_ready(e.actor, e.time);
    case Kind::arrive:
      return arrive(e);
    case Kind::wake:
      return wake(e);
    case Kind::finish:
      return finish(e.actor, e.time, Time{e.bytes});
  }
}

template <class Source>
void Engine<Source>::handle_next() {
  stop_if_asked();
  const Event event = queue_.pop();
  prefetch();
  handle(event);
  ++outcome_.events;
}

// All events of one time come before what leaves then, and before the network's next change.
template <class Source>
bool Engine<Source>::step(Time latest) {
  const Time ours = queue_.empty() ? kNever : queue_.next_time();
  if (ours == now_) {
    if (ours > latest - skipped_) return false;
    handle_next();
    return true;
  }
  if (!senders_.empty()) {
    if (now_ > latest) return false;
    send_first();
    return true;
  }
  const Time change = changes_ ? network_.next_change() : kNever;
  const Time next = std::min(ours, change);
  if (repeats_ && repeats_->is_due() && queue_.empty()) skip_repeated_rounds(latest);
  if (next == kNever || next > latest - skipped_) return false;
  now_ = next;
  if (change > next)
    handle_next();
  else
    advance();
  return true;
}

// Nothing more happens at this time, so the messages on their way decide what follows.
template <class Source>
void Engine<Source>::skip_repeated_rounds(Time latest) {
  std::vector<RepeatedRounds::Flight> flights;
  const std::span<const Transit> transits = network_.shortcuts()->transits(now_);
  for (const Transit& t : transits) {
    const Event& e = messages_.at(t.number);
    flights.push_back({e.actor, e.source, e.depth, e.bytes, t.change, t.since, t.left, t.rate});
  }
  const auto skip = repeats_->observe(now_, std::move(flights), latest - skipped_);
  if (!skip) return;
  for (const Transit& t : transits) messages_.at(t.number).depth += skip->depth;
  skipped_ = in_calendar(skipped_ + skip->time);
  outcome_.engine = EngineKind::periods;
  count_skipped(skip->rounds);
}

// Counts the messages of the current rounds as often as these were skipped.
template <class Source>
void Engine<Source>::count_skipped(Count rounds) {
  std::vector<double> carried;
  for (Index a = 0; a < actors_.size(); ++a)
    for (const Action& action : actors_[a].pending.round()) {
      const Bytes bytes = action.sends() ? actors_.bytes_of(a, action) : 0;
      if (bytes == 0) continue;
      outcome_.sent.messages += rounds;
      outcome_.sent.elements += rounds * (bytes / element_size_);
      const Path path = network_.shortcuts()->path(actors_.rank_of(a), action.peer);
      for (const std::int32_t link : path.links) {
        if (index(link) >= carried.size()) carried.resize(index(link) + 1);
        carried[index(link)] +=
            static_cast<double>(rounds) * (static_cast<double>(bytes) + path.envelope);
      }
    }
  network_.shortcuts()->carry(carried);
}

// Of messages that reach a rank at one time its first lane's is reduced first, so that ranks that
// behave alike stay alike.
template <class Source>
std::span<const typename Engine<Source>::Index> Engine<Source>::in_order_of_lanes(
    std::span<const Index> arrived) {
  if (!sorts_lanes_ || arrived.size() < 2) return arrived;
  by_lane_.assign(arrived.begin(), arrived.end());
  std::stable_sort(by_lane_.begin(), by_lane_.end(), [&](Index a, Index b) {
    return actors_.outer_lane_of(messages_.at(a).actor) <
           actors_.outer_lane_of(messages_.at(b).actor);
  });
  return by_lane_;
}

template <class Source>
void Engine<Source>::advance() {
  const auto [arrived, sent] = network_.advance(now_);
  for (const Index number : sent) complete_send(messages_.at(number));
  // After earlier events of this time, if there are any.
  const bool queued = !queue_.empty() && queue_.next_time() == now_;
  for (const Index number : in_order_of_lanes(arrived)) {
    Event e = messages_.free(number);
    e.time = now_;
    if (queued) {
      queue_.push(e);
    } else {
      arrive(e);
      ++outcome_.events;
    }
  }
}

template class Engine<Actors>;
template class Engine<ClassActors>;
template class Engine<ExternalRounds>;

}  // namespace arlab::simulator
