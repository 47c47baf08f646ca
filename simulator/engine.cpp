#include "simulator/engine.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <unordered_map>

#include "simulator/actors.hpp"
#include "simulator/chains.hpp"
#include "simulator/event_queue.hpp"
#include "simulator/tracer.hpp"

namespace arlab {
namespace {

using Index = Actors::Index;

enum class Kind : std::uint8_t {
  begin,   // the actor starts its next round
  send,    // the actor's next send may leave
  arrive,  // a message reaches the actor
  wake,    // the rank may receive the first of its parked messages
  finish,  // the actor's messages are through: reduce, then begin
};

struct Event {
  Time time = 0;
  Bytes bytes = 0;
  Index actor = 0;  // wake: the rank
  Rank source = 0;
  Index depth = 0;  // of the sender's round
  Kind kind = Kind::begin;
  bool rendezvous = false;
  bool posted = false;  // its receive was found before it left
  bool later = false;   // the network told late when it arrives
};

class Engine {
 public:
  Engine(const Algorithm& algorithm, const Problem& problem, Bytes element_size, Network& network,
         const SimulateOptions& options)
      : network_(network),
        synchronous_(network.synchronous()),
        changes_(network.has_changes()),
        options_(options),
        element_size_(element_size),
        actors_(algorithm, problem, options.segments, element_size),
        parked_(static_cast<std::size_t>(problem.ranks)),
        ready_(synchronous_ ? actors_.size() : 0) {
    outcome_.finish_of.assign(static_cast<std::size_t>(problem.ranks), 0);
    if (options.trace) tracer_.emplace(*options.trace, actors_);
    for (Index a = 0; a < actors_.size(); ++a) queue_.push({.actor = a, .kind = Kind::begin});
  }

  Outcome run() {
    if (changes_)
      run_with_changes();
    else
      while (!queue_.empty()) handle_next();
    for (const Actor& a : actors_) {
      if (a.program)
        fail(Blame::check,
             "the simulated programs wait for one another and never end: "
             "`arlab verify` tells where");
      outcome_.sent.rounds = std::max<Count>(outcome_.sent.rounds, a.depth);
    }
    if (!early_.empty())
      fail(Blame::check,
           "the simulated programs send messages that are never received: "
           "`arlab verify` tells which");
    return std::move(outcome_);
  }

 private:
  void handle_next() {
    const Event event = queue_.pop();
    prefetch();
    handle(event);
    ++outcome_.events;
  }

  // All events of a moment come before the network's changes after it.
  void run_with_changes() {
    for (Time now = 0;;) {
      if (!queue_.empty() && queue_.next_time() == now) {
        handle_next();
        continue;
      }
      const Time ours = queue_.empty() ? kNever : queue_.next_time();
      const Time change = network_.next_change();
      now = std::min(ours, change);
      if (now == kNever) return;
      if (change > now) continue;
      for (const Index number : network_.advance(now)) {
        Event e = messages_.release(number);
        e.time = now;
        queue_.push(e);
      }
    }
  }

  // With a million ranks every event touches cold memory: fetch what the next ones need while this
  // one runs. (Always inline: g++ deletes calls of a function that does nothing but prefetch.)
  [[gnu::always_inline]] void prefetch() const {
    constexpr std::size_t kLine = 64, kFrame = 320;  // bytes; the catalogue's frames are 136 to 320
    if (const Event* e = queue_.upcoming(12)) __builtin_prefetch(&actors_[e->actor], 1);
    if (const Event* e = queue_.upcoming(6)) {
      const Actor& actor = actors_[e->actor];
      __builtin_prefetch(actor.pending.round().data());
      __builtin_prefetch(actor.pending.round().data() + 1);
      const auto* frame = static_cast<const char*>(actor.program.address());
      for (std::size_t i = 0; e->kind == Kind::begin && i < kFrame; i += kLine)
        __builtin_prefetch(frame + i, 1);
    }
  }

  void handle(const Event& e) {
    switch (e.kind) {
      case Kind::begin:
        return begin(e.actor, e.time);
      case Kind::send:
        return synchronous_ ? send_ready(e.actor, e.time) : send_from(e.actor, e.time);
      case Kind::arrive:
        return arrive(e);
      case Kind::wake:
        return wake(static_cast<Rank>(e.actor), e.time);
      case Kind::finish:
        return finish(e.actor, e.time);
    }
  }

  void begin(Index id, Time now) {
    Actor& a = actors_[id];
    if (!a.program.next()) {
      a.program = {};
      a.pending.post({});  // its round went with the program
      Time& finish = outcome_.finish_of[static_cast<std::size_t>(actors_.rank_of(id))];
      finish = std::max(finish, now);
      outcome_.finish = std::max(outcome_.finish, now);
      return;
    }
    const Round round = a.program.round();
    if (tracer_) tracer_->round(id);
    a.pending.post(round);
    a.done = now;
    a.next_depth = a.depth + 1;
    a.next_send = 0;
    a.left = static_cast<Index>(round.size());
    for (std::size_t i = 0; i < round.size(); ++i)
      if (actors_.bytes_of(id, round[i]) == 0) {
        a.pending.drop(i);
        --a.left;
      }
    if (a.left == 0) return through(id, now);
    if (synchronous_) return meet_peers(id, now);
    if (a.early > 0) meet_early(id, now);
    send_from(id, now);
  }

  // Sends what may leave now; the rest of the round's sends follow when the sender is free.
  void send_from(Index id, Time now) {
    Actor& a = actors_[id];
    const Round round = a.pending.round();
    for (; a.next_send < round.size(); ++a.next_send) {
      const Action& action = round[a.next_send];
      const Bytes bytes = action.sends() ? actors_.bytes_of(id, action) : 0;
      if (bytes == 0) continue;
      const Time when = network_.can_send(actors_.rank_of(id), now);
      if (when > now) {
        queue_.push({.time = when, .actor = id, .kind = Kind::send});
        return;
      }
      if (!leaves(id, action, bytes, now)) continue;
      ++a.next_send;
      return through(id, now);
    }
  }

  // The message is on its way; returns whether that was the last thing the round waited for.
  bool leaves(Index id, const Action& action, Bytes bytes, Time now) {
    Actor& a = actors_[id];
    const Index peer = actors_.peer_of(id, action);
    Event e{.bytes = bytes,
            .actor = peer,
            .source = actors_.rank_of(id),
            .depth = a.depth,
            .kind = Kind::arrive,
            .posted = synchronous_};
    const Index number = changes_ ? messages_.hold(e) : 0;
    const Network::Sent sent =
        network_.send({actors_.rank_of(id), action.peer, bytes, number}, now);
    ++outcome_.sent.messages;
    outcome_.sent.elements += bytes / element_size_;
    report_progress();
    if (sent.arrives == kNever) {
      messages_.at(number).rendezvous = sent.rendezvous;
      messages_.at(number).later = true;
    } else {
      if (changes_) messages_.release(number);
      e.time = sent.arrives;
      e.rendezvous = sent.rendezvous;
      queue_.push(e);
    }
    if (tracer_) tracer_->send(id, action, bytes, now, sent.sender_done);
    a.done = std::max(a.done, sent.sender_done);
    return !sent.rendezvous && --a.left == 0;
  }

  // On a synchronous network: finds those of the round's messages whose other end is posted.
  void meet_peers(Index id, Time now) {
    Actor& a = actors_[id];
    const Round round = a.pending.round();
    for (Index i = 0; i < round.size(); ++i) {
      const Action& action = round[i];
      if (actors_.bytes_of(id, action) == 0) continue;
      const Index peer = actors_.peer_of(id, action);
      const int theirs = actors_[peer].pending.take(actors_.rank_of(id), !action.sends());
      if (theirs == Pending::kNone) continue;
      a.pending.drop(i);
      if (action.sends())
        ready(id, i, now);
      else
        ready(peer, static_cast<Index>(theirs), now);
    }
  }

  // Not sent at once: other ranks may start their rounds at this very time, and of all sends that
  // are ready then, the one listed first goes first.
  void ready(Index sender, Index position, Time now) {
    std::vector<Index>& positions = ready_[sender];
    if (positions.empty()) queue_.push({.time = now, .actor = sender, .kind = Kind::send});
    positions.push_back(position);
    std::push_heap(positions.begin(), positions.end(), std::greater<>());
  }

  void send_ready(Index id, Time now) {
    std::vector<Index>& positions = ready_[id];
    while (!positions.empty()) {
      const Time when = network_.can_send(actors_.rank_of(id), now);
      if (when > now) return queue_.push({.time = when, .actor = id, .kind = Kind::send});
      std::pop_heap(positions.begin(), positions.end(), std::greater<>());
      const Action& action = actors_[id].pending.round()[positions.back()];
      positions.pop_back();
      if (leaves(id, action, actors_.bytes_of(id, action), now)) return through(id, now);
    }
  }

  void arrive(const Event& e) {
    const Rank target = actors_.rank_of(e.actor);
    Chain& parked = parked_[static_cast<std::size_t>(target)];
    if (!parked.empty()) return messages_.append(parked, e);
    const Time when = network_.can_receive(target, e.time);
    if (when == e.time) return receive(e, e.time);
    messages_.append(parked, e);
    queue_.push({.time = when, .actor = static_cast<Index>(target), .kind = Kind::wake});
  }

  void wake(Rank rank, Time now) {
    Chain& parked = parked_[static_cast<std::size_t>(rank)];
    Time when = network_.can_receive(rank, now);
    while (when == now && !parked.empty()) {
      receive(messages_.take(parked), now);
      when = network_.can_receive(rank, now);
    }
    if (!parked.empty())
      queue_.push({.time = when, .actor = static_cast<Index>(rank), .kind = Kind::wake});
  }

  // The message's bytes come in, whether or not its receive is posted.
  void receive(Event e, Time now) {
    const Time done = network_.receive({e.source, actors_.rank_of(e.actor), e.bytes}, now);
    if (tracer_) tracer_->receive(e.actor, e.source, e.bytes, now, done, e.later);
    Actor& a = actors_[e.actor];
    const bool posted = e.posted || a.pending.take(e.source, false) != Pending::kNone;
    if (posted) return met(e, now, done);
    e.time = done;
    messages_.append(early_[pair_key(e.actor, e.source)], e);
    ++a.early;
  }

  void meet_early(Index id, Time now) {
    Actor& a = actors_[id];
    const Round round = a.pending.round();
    for (const Action& action : round) {
      if (action.sends()) continue;
      const auto from_peer = early_.find(pair_key(id, action.peer));
      if (from_peer == early_.end() || a.pending.take(action.peer, false) == Pending::kNone)
        continue;
      const Event e = messages_.take(from_peer->second);
      if (from_peer->second.empty()) early_.erase(from_peer);
      met(e, now, std::max(now, e.time));
      if (--a.early == 0) return;
    }
  }

  // A message has come in and its receive is posted: from now on neither end waits for the other.
  void met(const Event& e, Time now, Time done) {
    Actor& a = actors_[e.actor];
    a.next_depth = std::max(a.next_depth, e.depth + 1);
    if (through_with_one(a, done)) {
      if (a.done == done)
        through_at_once(e.actor);
      else
        through(e.actor, now);
    }
    if (!e.rendezvous) return;
    network_.met(e.source, now);
    const Index sender = actors_.actor_of(e.source, actors_.lane_of(e.actor));
    if (through_with_one(actors_[sender], now)) through(sender, now);
  }

  bool through_with_one(Actor& a, Time done) {
    a.done = std::max(a.done, done);
    return --a.left == 0;
  }

  // All messages of the actor's round are through by actor.done, which may still lie ahead.
  void through(Index id, Time now) {
    Actor& a = actors_[id];
    a.depth = a.next_depth;
    const Round round = a.pending.round();
    const bool reduces = std::any_of(round.begin(), round.end(),
                                     [](const Action& x) { return x.verb == Verb::reduce; });
    queue_.push(
        {.time = std::max(now, a.done), .actor = id, .kind = reduces ? Kind::finish : Kind::begin});
  }

  // The same when receiving the last message took the processor until actor.done: it reduces before
  // it does anything else.
  void through_at_once(Index id) {
    Actor& a = actors_[id];
    a.depth = a.next_depth;
    queue_.push({.time = reduce_all(id, a.done), .actor = id, .kind = Kind::begin});
  }

  void finish(Index id, Time now) {
    const Time end = reduce_all(id, now);
    if (end == now) return begin(id, now);
    queue_.push({.time = end, .actor = id, .kind = Kind::begin});
  }

  // The round's reductions in listed order, from `now` on; returns when they are done.
  Time reduce_all(Index id, Time now) {
    Time end = now;
    for (const Action& action : actors_[id].pending.round()) {
      if (action.verb != Verb::reduce) continue;
      const Bytes bytes = actors_.bytes_of(id, action);
      if (bytes == 0) continue;
      const Network::Work work = network_.reduce(actors_.rank_of(id), bytes, end);
      end = in_calendar(work.end);
      if (tracer_ && work.end > work.begin)
        tracer_->reduce(id, action.peer, bytes, work.begin, work.end);
    }
    return end;
  }

  void report_progress() {
    constexpr Count kOften = Count{1} << 18;
    if (options_.progress && outcome_.sent.messages % kOften == 0)
      options_.progress(outcome_.sent.messages);
  }

  Network& network_;
  bool synchronous_, changes_;
  const SimulateOptions& options_;
  Bytes element_size_;
  Actors actors_;
  EventQueue<Event> queue_;
  Chains<Event> messages_;
  std::vector<Chain> parked_;                       // of each rank: arrived, but the rank is busy
  std::unordered_map<std::uint64_t, Chain> early_;  // by actor and source: received, not posted
  std::vector<std::vector<Index>> ready_;           // of each actor, if synchronous: a heap
  std::optional<Tracer> tracer_;
  Outcome outcome_;
};

}  // namespace

Outcome simulate(const Algorithm& algorithm, const Problem& problem, Bytes element_size,
                 Network& network, const SimulateOptions& options) {
  check(problem);
  if (const std::string why = unsupported(algorithm, problem); !why.empty())
    fail(Blame::usage, why);
  if (element_size < 1 || problem.elements > std::numeric_limits<Bytes>::max() / element_size / 2)
    fail(Blame::usage, std::to_string(problem.elements) + " elements of " +
                           std::to_string(element_size) + " bytes overflow: use a smaller size");
  if (lanes_of(algorithm, problem, options.segments).empty()) {
    Outcome nothing;
    nothing.finish_of.assign(static_cast<std::size_t>(problem.ranks), 0);
    return nothing;
  }
  return Engine(algorithm, problem, element_size, network, options).run();
}

}  // namespace arlab
