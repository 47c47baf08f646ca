// LostPackets: messages that arrive late because the network lost packets, which TCP sends again.
//
// A packet that is followed by others of its connection is missed within a round trip, which is
// neglected, and so is the smaller window after it. Behind the last packet of a message there are
// none: the sender waits for a timeout, which doubles with each loss, unless the pair's next
// message, or its request, comes before (selective acknowledgments and RACK, RFC 8985). Messages of
// a pair arrive in order. A request and a grant are packets that are the last, too.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "algorithms/base/random.hpp"
#include "simulator/network.hpp"

namespace arlab::simulator {

struct PacketLoss {
  double share = 0;  ///< of the packets, below 1
  Time timeout{};    ///< until the sender sends a packet again that nothing follows
};

class LostPackets {
 public:
  /// eager: bytes of the largest message that leaves without a request and a grant.
  LostPackets(const PacketLoss& loss, std::uint64_t seed, double eager)
      : loss_(loss),
        random_(seed),
        lost_below_(static_cast<std::uint64_t>(loss.share * 0x1p64)),
        eager_(eager) {}

  bool any() const { return loss_.share > 0; }
  /// Returns when the next message arrives that has been late; kNever if there is none.
  Time next_time() const { return due_.empty() ? kNever : due_.begin()->first; }

  /// The message, or its request, leaves. Returns whether it, or an earlier one of its pair, may
  /// be late, so that it must be given to arrive().
  bool send(const Message& m, Time now) {
    const Pair pair = pair_of(m);
    if (is_announced(m)) {
      ++requests_[pair];
      if (const auto stalled = stalled_.find(pair); stalled != stalled_.end()) {
        due_.erase({stalled->second.due, pair});
        stalled->second.due = now;
        due_.insert({now, pair});
      }
      return true;
    }
    const Time late = draw_delay(1);
    if (late == Time{} && !is_blocked(pair)) return false;
    late_[m.number] = late;
    ++unsure_[pair];
    return true;
  }

  /// A message arrives at `now` unless it is late. Appends the numbers of those that arrive with
  /// it, in order.
  void arrive(const Message& m, Time now, std::vector<std::uint32_t>& arrived) {
    const Pair pair = pair_of(m);
    Time late{};
    if (is_announced(m)) {
      late = draw_delay(3);
      count_down(requests_, pair);
    } else if (const auto drawn = late_.find(m.number); drawn != late_.end()) {
      late = drawn->second;
      late_.erase(drawn);
      count_down(unsure_, pair);
    }
    if (requests_.contains(pair)) late = {};  // the request of the next one is behind it
    if (const auto stalled = stalled_.find(pair); stalled != stalled_.end()) {
      if (late > Time{} && m.bytes <= kSegment) {  // nothing of this one has come, either
        stalled->second.numbers.push_back(m.number);
        return;
      }
      due_.erase({stalled->second.due, pair});
      release(pair, arrived);
    }
    if (late == Time{}) return arrived.push_back(m.number);
    const Time due = late < kNever - now ? now + late : kNever - Time{1};
    stalled_[pair] = {due, {m.number}};
    due_.insert({due, pair});
  }

  /// Appends the numbers of the messages that have been late and arrive up to `now`.
  void take(Time now, std::vector<std::uint32_t>& arrived) {
    for (; next_time() <= now; due_.erase(due_.begin())) release(due_.begin()->second, arrived);
  }

 private:
  using Pair = std::uint64_t;
  struct Stalled {
    Time due{};
    std::vector<std::uint32_t> numbers;  // of messages, in order
  };
  static constexpr Bytes kSegment = 1448;  // of a packet of Ethernet

  static Pair pair_of(const Message& m) {
    return Pair{static_cast<std::uint32_t>(m.source)} << 32 | static_cast<std::uint32_t>(m.target);
  }
  bool is_announced(const Message& m) const { return static_cast<double>(m.bytes) > eager_; }

  bool is_blocked(Pair pair) const {
    return unsure_.contains(pair) || requests_.contains(pair) || stalled_.contains(pair);
  }

  // Of as many packets that are the last.
  Time draw_delay(int packets) {
    Time delay{};
    for (; packets > 0; --packets)
      for (Time wait = loss_.timeout; random_(drawn_++) < lost_below_; wait *= 2) delay += wait;
    return delay;
  }

  static void count_down(std::map<Pair, std::int64_t>& counts, Pair pair) {
    if (const auto count = counts.find(pair); --count->second == 0) counts.erase(count);
  }

  void release(Pair pair, std::vector<std::uint32_t>& arrived) {
    const auto stalled = stalled_.find(pair);
    arrived.insert(arrived.end(), stalled->second.numbers.begin(), stalled->second.numbers.end());
    stalled_.erase(stalled);
  }

  PacketLoss loss_;
  Random random_;
  std::uint64_t lost_below_;  // of random numbers
  double eager_;
  std::uint64_t drawn_ = 0;
  std::map<Pair, std::int64_t> requests_;         // of messages that have not arrived
  std::map<Pair, std::int64_t> unsure_;           // messages without one that have not arrived
  std::unordered_map<std::uint32_t, Time> late_;  // of these, by number
  std::map<Pair, Stalled> stalled_;
  std::set<std::pair<Time, Pair>> due_;  // of these
};

}  // namespace arlab::simulator
