// MessageDelays: random delays of messages, which keep the order of each pair.
//
// The delays of a source's messages are exponential and depend on the seed, the source and the number
// of the message only, so that all engines draw the same.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "algorithms/base/random.hpp"
#include "algorithms/base/time.hpp"
#include "simulator/network.hpp"

namespace arlab::simulator {

class MessageDelays {
 public:
  /// A mean of 0: no delays.
  MessageDelays(Rank ranks, const RandomDelay& delay)
      : mean_(picoseconds(delay.mean)),
        random_(delay.seed),
        sources_(delay.mean > Time{} ? index(ranks) : 0) {}

  /// Returns when the source's next message arrives instead of at `arrival`. It leaves at `now`; calls
  /// of a source come in order of time.
  Time late(Rank source, Rank target, Time now, Time arrival) {
    if (sources_.empty()) return arrival;
    Source& s = sources_[index(source)];
    const std::uint64_t number = static_cast<std::uint64_t>(source) << 32 | s.messages++;
    const double uniform = (static_cast<double>(random_(number) >> 11) + 0.5) * 0x1p-53;
    return in_order(source, target, now, arrival + to_time(-std::log(uniform) * mean_));
  }

 private:
  struct InFlight {  // the latest message of a pair
    Time arrival{};
    Rank target = -1;
  };
  struct Source {
    InFlight latest[2];  // most ranks have no more
    std::uint32_t messages = 0;
  };

  // Arrivals that have passed are forgotten.
  Time in_order(Rank source, Rank target, Time now, Time arrival) {
    InFlight* place = nullptr;
    for (InFlight& latest : sources_[index(source)].latest) {
      if (latest.target == target) return latest.arrival = std::max(latest.arrival, arrival);
      if (latest.arrival <= now) place = &latest;
    }
    const std::uint64_t pair =
        static_cast<std::uint64_t>(source) << 32 | static_cast<std::uint32_t>(target);
    if (!others_.empty())
      if (const auto other = others_.find(pair); other != others_.end())
        return other->second = std::max(other->second, arrival);
    if (place) {
      *place = {arrival, target};
      return arrival;
    }
    if (others_.size() >= most_others_) {
      std::erase_if(others_, [now](const auto& other) { return other.second <= now; });
      most_others_ = 2 * others_.size() + 1024;
    }
    others_[pair] = arrival;
    return arrival;
  }

  double mean_;  // picoseconds
  Random random_;
  std::vector<Source> sources_;                     // empty: no delays
  std::unordered_map<std::uint64_t, Time> others_;  // latest arrivals of further pairs
  std::size_t most_others_ = 1024;
};

}  // namespace arlab::simulator
