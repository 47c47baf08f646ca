#include "simulator/engine.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <unordered_map>

#include "algorithms/pending.hpp"
#include "simulator/event_queue.hpp"

namespace arlab {
namespace {

using Index = std::uint32_t;
constexpr Index kNone = std::numeric_limits<Index>::max();

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

struct alignas(64) Actor {  // one cache line
  Program program;          // none any more when it has ended
  Time done = 0;            // when all that is through so far was through
  Index next_send = 0;      // position in the round
  Index left = 0;           // messages of the round that are not through
  Index depth = 0;          // longest chain of rounds up to this one
  Index next_depth = 0;
  [[no_unique_address]] Pending pending;  // receives of the current round that have not been met;
                                          // on a synchronous network its sends too
  Index early = 0;                        // messages that came before their receive was posted
};
static_assert(sizeof(Actor) == 64);

// Messages in a chain of a pool: parked ones of a rank, or early ones from one peer.
struct Chain {
  Index head = kNone, tail = kNone;
  bool empty() const { return head == kNone; }
};

class Messages {
 public:
  void append(Chain& chain, const Event& event) {
    const Index i = allocate(event);
    (chain.empty() ? chain.head : nodes_[chain.tail].next) = i;
    chain.tail = i;
  }
  const Event& front(const Chain& chain) const { return nodes_[chain.head].event; }
  Event take(Chain& chain) {
    const Index i = chain.head;
    chain.head = nodes_[i].next;
    return release(i);
  }

  /// One message alone, by the number that release() takes.
  Index hold(const Event& event) { return allocate(event); }
  Event& at(Index number) { return nodes_[number].event; }
  Event release(Index number) {
    nodes_[number].next = free_;
    free_ = number;
    return nodes_[number].event;
  }

 private:
  struct Node {
    Event event;
    Index next;
  };
  Index allocate(const Event& event) {
    if (free_ == kNone) {
      nodes_.push_back({event, kNone});
      return static_cast<Index>(nodes_.size() - 1);
    }
    const Index i = free_;
    free_ = nodes_[i].next;
    nodes_[i] = {event, kNone};
    return i;
  }
  std::vector<Node> nodes_;
  Index free_ = kNone;
};

class Engine {
 public:
  Engine(const Algorithm& algorithm, const Problem& problem, Bytes element_size, Network& network,
         const SimulateOptions& options)
      : network_(network),
        synchronous_(network.synchronous()),
        changes_(network.has_changes()),
        options_(options),
        ranks_(problem.ranks),
        element_size_(element_size) {
    const std::vector<Lane> lanes = lanes_of(algorithm, problem, options.segments);
    lanes_ = static_cast<Index>(lanes.size());
    for (const Lane& lane : lanes) blocks_.push_back(lane.problem.blocks());
    outcome_.finish_of.assign(static_cast<std::size_t>(ranks_), 0);
    parked_.resize(static_cast<std::size_t>(ranks_));
    actors_.resize(static_cast<std::size_t>(ranks_) * lanes_);
    if (options.trace) rounds_.resize(actors_.size());
    if (synchronous_) ready_.resize(actors_.size());
    for (Index a = 0; a < actors_.size(); ++a) {
      actors_[a].program = algorithm.program(lanes[a % lanes_].problem, rank_of(a));
      queue_.push({.actor = a, .kind = Kind::begin});
    }
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

  // One lane is the common case, and divisions are slow.
  Rank rank_of(Index actor) const {
    return static_cast<Rank>(lanes_ == 1 ? actor : actor / lanes_);
  }
  Index lane_of(Index actor) const { return lanes_ == 1 ? 0 : actor % lanes_; }
  const Blocks& blocks_of(Index actor) const { return blocks_[lane_of(actor)]; }
  Index actor_of(Rank rank, Index lane) const { return static_cast<Index>(rank) * lanes_ + lane; }
  Index peer_of(Index actor, const Action& action) const {
    if (action.peer < 0 || action.peer >= ranks_)
      fail(Blame::check, "rank " + std::to_string(rank_of(actor)) + " of " +
                             std::to_string(ranks_) + " has a message for or from rank " +
                             std::to_string(action.peer) + ": `arlab verify` tells where");
    return actor_of(action.peer, lane_of(actor));
  }
  Bytes bytes_of(Index actor, const Action& action) const {
    return blocks_of(actor).size(action.chunks) * element_size_;
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
      Time& finish = outcome_.finish_of[static_cast<std::size_t>(rank_of(id))];
      finish = std::max(finish, now);
      outcome_.finish = std::max(outcome_.finish, now);
      return;
    }
    const Round round = a.program.round();
    if (options_.trace) ++rounds_[id];
    a.pending.post(round);
    a.done = now;
    a.next_depth = a.depth + 1;
    a.next_send = 0;
    a.left = static_cast<Index>(round.size());
    for (std::size_t i = 0; i < round.size(); ++i)
      if (bytes_of(id, round[i]) == 0) {
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
      const Bytes bytes = action.sends() ? bytes_of(id, action) : 0;
      if (bytes == 0) continue;
      const Time when = network_.can_send(rank_of(id), now);
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
    const Index peer = peer_of(id, action);
    Event e{.bytes = bytes,
            .actor = peer,
            .source = rank_of(id),
            .depth = a.depth,
            .kind = Kind::arrive,
            .posted = synchronous_};
    const Index number = changes_ ? messages_.hold(e) : 0;
    const Network::Sent sent = network_.send({rank_of(id), action.peer, bytes, number}, now);
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
    if (options_.trace) trace_send(id, action, bytes, now, sent);
    a.done = std::max(a.done, sent.sender_done);
    return !sent.rendezvous && --a.left == 0;
  }

  // On a synchronous network: finds those of the round's messages whose other end is posted.
  void meet_peers(Index id, Time now) {
    Actor& a = actors_[id];
    const Round round = a.pending.round();
    for (Index i = 0; i < round.size(); ++i) {
      const Action& action = round[i];
      if (bytes_of(id, action) == 0) continue;
      const Index peer = peer_of(id, action);
      const int theirs = actors_[peer].pending.take(rank_of(id), !action.sends());
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
      const Time when = network_.can_send(rank_of(id), now);
      if (when > now) return queue_.push({.time = when, .actor = id, .kind = Kind::send});
      std::pop_heap(positions.begin(), positions.end(), std::greater<>());
      const Action& action = actors_[id].pending.round()[positions.back()];
      positions.pop_back();
      if (leaves(id, action, bytes_of(id, action), now)) return through(id, now);
    }
  }

  void arrive(const Event& e) {
    const Rank target = rank_of(e.actor);
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
    const Time done = network_.receive({e.source, rank_of(e.actor), e.bytes}, now);
    if (options_.trace) trace_receive(e, now, done);
    Actor& a = actors_[e.actor];
    const bool posted = e.posted || a.pending.take(e.source, false) != Pending::kNone;
    if (posted) return met(e, now, done);
    e.time = done;
    messages_.append(early_[key(e.actor, e.source)], e);
    ++a.early;
  }

  void meet_early(Index id, Time now) {
    Actor& a = actors_[id];
    const Round round = a.pending.round();
    for (const Action& action : round) {
      if (action.sends()) continue;
      const auto from_peer = early_.find(key(id, action.peer));
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
    const Index sender = actor_of(e.source, lane_of(e.actor));
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
      const Bytes bytes = bytes_of(id, action);
      if (bytes == 0) continue;
      const Network::Work work = network_.reduce(rank_of(id), bytes, end);
      end = in_calendar(work.end);
      if (options_.trace && work.end > work.begin)
        options_.trace->spans.push_back({Span::Kind::reduce, rank_of(id),
                                         static_cast<std::int32_t>(lane_of(id)), rounds_[id],
                                         action.peer, bytes, work.begin, work.end, -1});
    }
    return end;
  }

  static std::uint64_t key(Index actor, Rank source) {
    return static_cast<std::uint64_t>(actor) << 32 | static_cast<std::uint32_t>(source);
  }

  void report_progress() {
    constexpr Count kOften = Count{1} << 18;
    if (options_.progress && outcome_.sent.messages % kOften == 0)
      options_.progress(outcome_.sent.messages);
  }

  // Messages of a pair and lane arrive in the order they left, so the k-th send and the k-th
  // receive share a number.
  void trace_send(Index id, const Action& action, Bytes bytes, Time now,
                  const Network::Sent& sent) {
    const auto number = static_cast<std::int64_t>(options_.trace->spans.size());
    messages_.append(in_flight_[key(actor_of(action.peer, lane_of(id)), rank_of(id))],
                     {.time = number});
    options_.trace->spans.push_back({Span::Kind::send, rank_of(id),
                                     static_cast<std::int32_t>(lane_of(id)), rounds_[id],
                                     action.peer, bytes, now, sent.sender_done, number});
  }

  void trace_receive(const Event& e, Time now, Time done) {
    const std::int64_t number = messages_.take(in_flight_[key(e.actor, e.source)]).time;
    if (e.later) options_.trace->spans[static_cast<std::size_t>(number)].end = now;
    options_.trace->spans.push_back({Span::Kind::receive, rank_of(e.actor),
                                     static_cast<std::int32_t>(lane_of(e.actor)), rounds_[e.actor],
                                     e.source, e.bytes, now, done, number});
  }

  Network& network_;
  bool synchronous_, changes_;
  const SimulateOptions& options_;
  Rank ranks_;
  Bytes element_size_;
  Index lanes_ = 1;
  std::vector<Blocks> blocks_;  // of each lane
  std::vector<Actor> actors_;   // rank by rank, lane by lane
  EventQueue<Event> queue_;
  Messages messages_;
  std::vector<Chain> parked_;                       // of each rank: arrived, but the rank is busy
  std::unordered_map<std::uint64_t, Chain> early_;  // by actor and source: received, not posted
  std::unordered_map<std::uint64_t, Chain> in_flight_;  // the same, only while tracing
  std::vector<Count> rounds_;                           // of each actor, only while tracing
  std::vector<std::vector<Index>> ready_;               // of each actor, if synchronous: a heap
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
