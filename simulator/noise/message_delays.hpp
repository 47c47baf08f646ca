// MessageDelays: random delays of messages, which keep the order of each pair.
//
// The delays of a source's messages are exponential and depend on the seed, the source and the
// number of the message only, so that all engines draw the same.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <unordered_map>

#include "algorithms/base/exponential.hpp"
#include "algorithms/base/random.hpp"
#include "algorithms/base/time.hpp"
#include "simulator/large_array.hpp"
#include "simulator/network.hpp"

namespace arlab::simulator {

/// The delays themselves, by source and the number of its message.
class DelayDraws {
 public:
  explicit DelayDraws(const RandomDelay& delay) : mean_(delay.mean), random_(delay.seed) {}

  Time operator()(Rank source, std::uint32_t number) const {
    return exponential_time(mean_, random_(static_cast<std::uint64_t>(source) << 32 | number));
  }

 private:
  Time mean_;
  Random random_;
};

class MessageDelays {
 public:
  /// A mean of 0: no delays.
  MessageDelays(Rank ranks, const RandomDelay& delay)
      : draws_(delay),
        sources_(delay.mean > Time{} ? index(ranks) : 0),
        is_random_(delay.mean > Time{}) {
    if (is_random_) std::uninitialized_fill_n(sources_.data(), ranks, Source{});
  }

  /// Returns when the source's next message arrives instead of at `arrival`. It leaves at `now`;
  /// calls of a source come in order of time.
  Time late(Rank source, Rank target, Time now, Time arrival) {
    if (!is_random_) return arrival;
    Source& s = sources_.data()[index(source)];
    return in_order(source, target, now, arrival + draws_(source, s.messages++));
  }

 private:
  static constexpr int kKept = 4;
  struct alignas(64) Source {  // one cache line
    Time arrivals[kKept]{};    // the latest of some pairs; most ranks have no more in flight
    Rank targets[kKept]{-1, -1, -1, -1};
    std::uint32_t messages = 0;
    std::uint32_t others = 0;  // further pairs
    Time latest{};             // of all arrivals
  };
  static_assert(sizeof(Source) == 64);

  // Arrivals that have passed are forgotten.
  Time in_order(Rank source, Rank target, Time now, Time arrival) {
    Source& s = sources_.data()[index(source)];
    if (s.latest <= now) return begin_again(s, target, arrival);
    s.latest = std::max(s.latest, arrival);
    int place = -1;
    for (int i = 0; i < kKept; ++i) {
      if (s.targets[i] == target) return s.arrivals[i] = std::max(s.arrivals[i], arrival);
      if (s.arrivals[i] <= now) place = i;
    }
    const std::uint64_t pair =
        static_cast<std::uint64_t>(source) << 32 | static_cast<std::uint32_t>(target);
    if (s.others > 0)
      if (const auto other = others_.find(pair); other != others_.end())
        return other->second = std::max(other->second, arrival);
    if (place >= 0) {
      s.targets[place] = target;
      return s.arrivals[place] = arrival;
    }
    if (others_.size() >= most_others_) forget_others(now);
    others_[pair] = arrival;
    ++s.others;
    return arrival;
  }

  // All messages before this one have arrived.
  static Time begin_again(Source& s, Rank target, Time arrival) {
    for (int i = 0; i < kKept; ++i) s.targets[i] = i == 0 ? target : -1;
    return s.latest = s.arrivals[0] = arrival;
  }

  void forget_others(Time now) {
    std::erase_if(others_, [&](const auto& other) {
      if (other.second > now) return false;
      --sources_.data()[other.first >> 32].others;
      return true;
    });
    most_others_ = 2 * others_.size() + 1024;
  }

  DelayDraws draws_;
  LargeArray<Source> sources_;
  bool is_random_;
  std::unordered_map<std::uint64_t, Time> others_;  // latest arrivals of further pairs
  std::size_t most_others_ = 1024;
};

}  // namespace arlab::simulator
