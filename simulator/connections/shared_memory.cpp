#include "simulator/connections/shared_memory.hpp"

#include <algorithm>
#include <utility>

namespace arlab::simulator {

SharedMemory::SharedMemory(Machine machine, Rank ranks)
    : Network({.has_changes = true,
               .needs_receives = true,
               .knows_sent = !machine.reduction_sent.points.empty()}),
      machine_(std::move(machine)),
      latency_(to_time(machine_.latency)),
      gap_(to_time(machine_.gap)),
      drift_(machine_.seed),
      own_(static_cast<std::size_t>(ranks)) {}

std::uint32_t SharedMemory::add(const Message& message) {
  std::uint32_t number = static_cast<std::uint32_t>(transfers_.size());
  if (free_.empty()) {
    transfers_.emplace_back();
  } else {
    number = free_.back();
    free_.pop_back();
  }
  transfers_[number] = {.message = message, .announced = announced(message)};
  return number;
}

// All messages of a round start together.
Time SharedMemory::start_of_round(Rank rank, bool announced, Time now) {
  Own& its = own(rank);
  if (its.round != now) {
    its.round = now;
    its.posted = now + drift_.draw(announced ? machine_.drift_long : machine_.drift);
  }
  return its.posted;
}

Network::Sent SharedMemory::send(const Message& message, Time now) {
  const std::uint32_t number = add(message);
  const bool waits = transfers_[number].announced;
  Time& free = own(message.source).free;
  const Time begin = std::max(start_of_round(message.source, waits, now), free);
  free = begin + gap_;
  schedule(begin + latency_, Kind::notice, number);
  return {waits ? kNever : now, kNever, false};
}

void SharedMemory::post_receive(const Message& message, Time now) {
  if (!announced(message)) return;
  schedule(start_of_round(message.target, true, now), Kind::receive, add(message));
}

Network::Work SharedMemory::reduce(Rank rank, Bytes bytes, Time now, bool sent) {
  const auto& cost = sent ? machine_.reduction_sent : machine_.reduction;
  return compute(rank, to_time(cost.at(static_cast<double>(bytes))), now);
}

Network::Work SharedMemory::compute(Rank rank, Time duration, Time now) {
  Time& free = own(rank).free;
  const Time begin = std::max(now, free);
  free = begin + duration;
  return {begin, free};
}

Network::Change SharedMemory::advance(Time now) {
  arrived_.clear();
  completed_.clear();
  while (!events_.empty() && events_.top().time <= now) {
    const Event e = events_.top();
    events_.pop();
    if (e.kind == Kind::wake) {
      copy_next(static_cast<Rank>(e.subject), now);
      continue;
    }
    if (e.kind == Kind::copied) {
      end_copy(e.subject, now);
      continue;
    }
    Waiting& waiting = waiting_of(transfers_[e.subject].message);
    if (e.kind == Kind::receive) {
      ++waiting.receives;
      free_.push_back(e.subject);
    } else {
      waiting.notices.push_back(e.subject);
    }
    match(waiting, now);
  }
  return {.arrived = arrived_, .sent = completed_};
}

// In the order of the notices, so that messages of a pair do not overtake one another.
void SharedMemory::match(Waiting& waiting, Time now) {
  while (!waiting.notices.empty()) {
    const std::uint32_t first = waiting.notices.front();
    if (transfers_[first].announced && waiting.receives == 0) return;
    if (transfers_[first].announced) --waiting.receives;
    waiting.notices.pop_front();
    ready(first, now);
  }
}

void SharedMemory::ready(std::uint32_t transfer, Time now) {
  const Rank target = transfers_[transfer].message.target;
  own(target).ready.push_back(transfer);
  copy_next(target, now);
}

// Copies the first message that is ready, unless the rank is busy: then it will ask again.
void SharedMemory::copy_next(Rank rank, Time now) {
  Own& its = own(rank);
  if (its.copies || its.ready.empty()) return;
  if (its.free > now) return schedule(its.free, Kind::wake, static_cast<std::uint32_t>(rank));
  const std::uint32_t transfer = its.ready.front();
  its.ready.pop_front();
  its.copies = true;
  start_copy(transfer, now);
}

void SharedMemory::start_copy(std::uint32_t transfer, Time now) {
  Transfer& t = transfers_[transfer];
  t.alone = to_time(machine_.host.at(static_cast<double>(t.message.bytes)));
  t.until = now + t.alone;
  for (const std::uint32_t number : copying_) {
    Transfer& other = transfers_[number];
    const Time both = std::min(t.until, other.until) - now;
    share_memory(other, both);
    share_memory(t, both);
  }
  copying_.push_back(transfer);
  own(t.message.target).free = t.until;
  schedule(t.until, Kind::copied, transfer);
}

// Prolongs a copy that shares the memory with another one for a part of its time. More than two
// copies at once were not measured: they take as long as two.
void SharedMemory::share_memory(Transfer& t, Time both) {
  if (machine_.host.points.empty() || machine_.host_together.points.empty()) return;
  // A copy that takes no time by itself is within the other one.
  const double part = t.alone > Time{}
                          ? std::min(1 - t.shared, picoseconds(both) / picoseconds(t.alone))
                          : 1 - t.shared;
  const double whole = machine_.host_together.at(static_cast<double>(t.message.bytes));
  const Time longer = to_time(part * std::max(0.0, whole - picoseconds(t.alone)));
  t.shared += part;
  t.until += longer;
  own(t.message.target).free += longer;
}

void SharedMemory::end_copy(std::uint32_t transfer, Time now) {
  const Transfer& t = transfers_[transfer];
  if (t.until > now) return schedule(t.until, Kind::copied, transfer);
  std::erase(copying_, transfer);
  own(t.message.target).copies = false;
  arrived_.push_back(t.message.number);
  if (t.announced) completed_.push_back(t.message.number);
  free_.push_back(transfer);
  copy_next(t.message.target, now);
}

void SharedMemory::schedule(Time time, Kind kind, std::uint32_t subject) {
  events_.push({in_calendar(time), order_++, kind, subject});
}

SharedMemory::Waiting& SharedMemory::waiting_of(const Message& m) {
  const auto pair =
      static_cast<std::uint64_t>(m.source) << 32 | static_cast<std::uint32_t>(m.target);
  return waiting_[pair][m.lane];
}

}  // namespace arlab::simulator
