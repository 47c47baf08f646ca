#include "simulator/connections/connections.hpp"

#include <algorithm>
#include <utility>

#include "simulator/connections/machine_fabric.hpp"
#include "simulator/connections/shared_memory.hpp"

namespace arlab::simulator {
namespace {

// Requests and grants have at least one byte.
Machine with_envelope(Machine machine) {
  machine.envelope = std::max(machine.envelope, 1.0);
  return machine;
}

std::uint64_t pair_of(Rank from, Rank to) {
  return static_cast<std::uint64_t>(from) << 32 | static_cast<std::uint32_t>(to);
}

}  // namespace

std::unique_ptr<Network> machine_network(const Machine& machine, Rank ranks,
                                         std::shared_ptr<const Fabric> fabric) {
  if (machine.shared) return std::make_unique<SharedMemory>(machine, ranks);
  return std::make_unique<Connections>(machine, ranks, std::move(fabric));
}

Connections::Connections(Machine machine, Rank ranks, std::shared_ptr<const Fabric> fabric)
    : Network({.has_changes = true,
               .needs_receives = true,
               .eager = machine.eager,
               .links = this,
               .streams = &others_}),
      machine_(with_envelope(std::move(machine))),
      fabric_(machine_fabric(machine_, std::move(fabric))),
      streams_(machine_, fabric_),
      latency_(to_time(machine_.latency)),
      gap_(to_time(machine_.gap)),
      drift_(machine_.seed),
      posted_(static_cast<std::size_t>(ranks)),
      processor_(static_cast<std::size_t>(ranks)) {
  latency_ -= std::min(latency_, first_latency(*fabric_));
}

Connections::Round& Connections::round_of(Rank rank, const Message& m, Time now) {
  Posted& posted = posted_[static_cast<std::size_t>(rank)];
  if (!posted.scheduled)
    schedule(now + drift_.draw(announced(m) ? machine_.drift_long : machine_.drift), Kind::post,
             static_cast<std::uint32_t>(rank));
  posted.scheduled = true;
  if (posted.rounds.empty() || posted.rounds.back().lane != m.lane)
    posted.rounds.push_back({m.lane, {}, {}});
  return posted.rounds.back();
}

// Nothing of the ranks is on its way.
bool Connections::is_idle() const { return events_.empty() && transfers_.size() == free_.size(); }

// While the network is idle nothing asks for its next change, so that runs end and deadlocks show.
// What other jobs have sent since is made up for.
void Connections::resume(Time now) {
  if (is_idle() && streams_.next_change() < now) streams_.advance(now);
}

Network::Sent Connections::send(const Message& message, Time now) {
  resume(now);
  std::uint32_t number = static_cast<std::uint32_t>(transfers_.size());
  if (free_.empty()) {
    transfers_.emplace_back();
  } else {
    number = free_.back();
    free_.pop_back();
  }
  transfers_[number] = {message, announced(message), Step::message};
  round_of(message.source, message, now).sends.push_back(number);
  return {announced(message) ? kNever : now, kNever, false};
}

void Connections::post_receive(const Message& message, Time now) {
  resume(now);
  if (announced(message)) round_of(message.target, message, now).receives.push_back(message);
}

Network::Work Connections::reduce(Rank rank, Bytes bytes, Time now, bool) {
  return compute(rank, to_time(machine_.reduction.at(static_cast<double>(bytes))), now);
}

Network::Work Connections::compute(Rank rank, Time duration, Time now) {
  Time& processor = processor_[static_cast<std::size_t>(rank)];
  const Time begin = std::max(now, processor);
  processor = begin + duration;
  return {begin, processor};
}

Time Connections::next_change() {
  for (const HostStream& stream : std::exchange(others_, {})) streams_.add_endless(stream, now_);
  if (is_idle()) return kNever;
  const Time own = events_.empty() ? kNever : events_.top().time;
  return std::min(own, streams_.next_change());
}

Network::Change Connections::advance(Time now) {
  now_ = now;
  arrived_.clear();
  completed_.clear();
  if (streams_.next_change() <= now)
    for (const Streams::Event& e : streams_.advance(now)) {
      const Transfer& t = transfers_[e.item];
      if (e.what == Streams::What::delivered) {
        const Time host = t.step == Step::message
                              ? to_time(machine_.host.at(static_cast<double>(t.message.bytes)))
                              : Time{};
        schedule(in_order(t, now + latency_ + streams_.latency(t.message.source, t.message.target) +
                                 host),
                 Kind::arrive, e.item);
      } else if (t.announced && t.step == Step::message) {
        completed_.push_back(t.message.number);
      }
    }
  while (!events_.empty() && events_.top().time <= now) {
    const Event e = events_.top();
    events_.pop();
    if (e.kind == Kind::post)
      start_rounds(static_cast<Rank>(e.subject));
    else if (e.kind == Kind::leave)
      leave(e.subject);
    else
      arrive(e.subject);
  }
  return {.arrived = arrived_, .sent = completed_};
}

// Messages of a pair do not overtake one another, although small ones may take the host less time.
Time Connections::in_order(const Transfer& t, Time time) {
  Rank from = t.message.source, to = t.message.target;
  if (t.step == Step::grant) std::swap(from, to);
  Time& last = last_arrival_[pair_of(from, to)];
  return last = std::max(last, time);
}

// The rule of the executor for ranks on several hosts.
bool Connections::sends_first(const Round& round) const {
  if (machine_.posting != Posting::sends_of_exchanges) return machine_.posting == Posting::sends;
  return std::any_of(round.receives.begin(), round.receives.end(), [&](const Message& r) {
    return std::any_of(round.sends.begin(), round.sends.end(), [&](std::uint32_t number) {
      return transfers_[number].message.target == r.source;
    });
  });
}

void Connections::start_rounds(Rank rank) {
  Posted& posted = posted_[static_cast<std::size_t>(rank)];
  posted.scheduled = false;
  for (const Round& round : std::exchange(posted.rounds, {})) start_round(round);
}

void Connections::start_round(const Round& round) {
  const auto send_all = [&] {
    for (const std::uint32_t t : round.sends)
      start(t, transfers_[t].announced ? Step::request : Step::message);
  };
  const bool first = sends_first(round);
  if (first) send_all();
  for (const Message& m : round.receives) {
    Waiting& waiting = waiting_of(m);
    if (waiting.requests.empty()) {
      ++waiting.receives;
      continue;
    }
    start(waiting.requests.front(), Step::grant);
    waiting.requests.pop_front();
  }
  if (!first) send_all();
}

// Whatever leaves a rank occupies its processor for the gap.
void Connections::start(std::uint32_t transfer, Step step) {
  Transfer& t = transfers_[transfer];
  t.step = step;
  const Rank from = step == Step::grant ? t.message.target : t.message.source;
  Time& processor = processor_[static_cast<std::size_t>(from)];
  const Time begin = std::max(now_, processor);
  processor = begin + gap_;
  if (begin == now_) return leave(transfer);
  schedule(begin, Kind::leave, transfer);
}

void Connections::leave(std::uint32_t transfer) {
  const Transfer& t = transfers_[transfer];
  Rank from = t.message.source, to = t.message.target;
  if (t.step == Step::grant) std::swap(from, to);
  if (t.step == Step::message)
    streams_.add(from, to, transfer, static_cast<double>(t.message.bytes) + machine_.envelope,
                 now_);
  else if (machine_.queue <= 0)
    streams_.add_urgent(from, to, transfer, now_);
  else if (machine_.ordered)
    streams_.add(from, to, transfer, machine_.envelope, now_);
  else
    streams_.add_beside(from, to, transfer, machine_.envelope, now_);
}

void Connections::arrive(std::uint32_t transfer) {
  const Transfer& t = transfers_[transfer];
  if (t.step == Step::grant) return start(transfer, Step::message);
  if (t.step == Step::message) {
    arrived_.push_back(t.message.number);
    free_.push_back(transfer);
    return;
  }
  Waiting& waiting = waiting_of(t.message);
  if (waiting.receives == 0) return waiting.requests.push_back(transfer);
  --waiting.receives;
  start(transfer, Step::grant);
}

void Connections::schedule(Time time, Kind kind, std::uint32_t subject) {
  events_.push({in_calendar(time), order_++, kind, subject});
}

Connections::Waiting& Connections::waiting_of(const Message& m) {
  return waiting_[pair_of(m.source, m.target)][m.lane];
}

std::vector<LinkLoad> Connections::loads(Time now) const {
  std::vector<LinkLoad> loads = loads_of(fabric_->topology, streams_.carried(), now);
  for (LinkLoad& load : loads)  // a burst passes besides
    if (load.bytes > 0)
      load.utilization = load.bytes / (load.rate * picoseconds(now) + machine_.burst);
  return loads;
}

}  // namespace arlab::simulator
