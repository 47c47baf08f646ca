// NextEvents: when each rank has its next event, and which ranks have one before a given time.
//
// Ranks are looked at in groups of 64, without a branch per rank, if the group has an event in
// time.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "simulator/large_array.hpp"
#include "simulator/network.hpp"
#include "simulator/sweep/rank_set.hpp"

namespace arlab::simulator {

class NextEvents {
 public:
  /// No rank has an event.
  explicit NextEvents(Rank ranks)
      : groups_((ranks + kGroup - 1) / kGroup),
        earliest_of_((index(ranks) + kGroup - 1) / kGroup, kNever),
        times_((index(ranks) + kGroup - 1) / kGroup * kGroup) {
    std::uninitialized_fill_n(times_.data(), (index(ranks) + kGroup - 1) / kGroup * kGroup, kNever);
  }

  /// The rank has an event at `time`.
  void add(Rank rank, Time time) {
    Time& next = times_.data()[index(rank)];
    Time& of_group = earliest_of_[index(rank / kGroup)];
    if (of_group == kNever) groups_.insert(rank / kGroup);
    // An event that is not the rank's next one is not in a group: pass() asks the rank for it.
    const Time earlier = time < next ? time : kNever;
    next = time < next ? time : next;
    of_group = earlier < of_group ? earlier : of_group;
    earliest_ = earlier < earliest_ ? earlier : earliest_;
  }
  /// Loads what add() needs.
  [[gnu::always_inline]] void prefetch(Rank rank) const {
    __builtin_prefetch(times_.data() + index(rank), 1);
  }

  /// Calls handle(rank) in order of ranks, for those with an event before `end`. It returns the
  /// time of the rank's next event, kNever for none. Shortly before, calls soon(rank). Returns the
  /// time of the next event of all ranks.
  template <class Soon, class Handle>
  Time pass(Time end, Soon soon, Handle handle) {
    earliest_ = kNever;
    for (Rank g = groups_.next(0); g != RankSet::kNone; g = groups_.next(g + 1)) {
      ++visits_;
      if (earliest_of_[index(g)] < end) handle_group(g, end, soon, handle);
      earliest_ = std::min(earliest_, earliest_of_[index(g)]);
      if (earliest_of_[index(g)] == kNever) groups_.erase(g);
    }
    return earliest_;
  }
  /// Returns the time of the next event, also if it was added after pass().
  Time earliest() const { return earliest_; }

  /// Returns how often pass() looked at a group.
  Count visits() const { return visits_; }

 private:
  static constexpr Rank kGroup = 64;
  static constexpr int kAhead = 5;  // more would wait for one another

  template <class Soon, class Handle>
  void handle_group(Rank group, Time end, Soon soon, Handle handle) {
    Time* const times = times_.data() + index(group) * kGroup;
    Time& earliest = earliest_of_[index(group)];
    std::uint64_t due = 0;
    std::int64_t later = kNever.count();
    for (Rank i = 0; i < kGroup; ++i) {  // no branches: the sign of a difference, and a mask
      const std::int64_t time = times[i].count();
      const std::uint64_t is_due = static_cast<std::uint64_t>(time - end.count()) >> 63;
      const std::int64_t other = time | static_cast<std::int64_t>((0 - is_due) >> 1);  // or kNever
      due |= is_due << i;
      later = other < later ? other : later;
    }
    earliest = Time{later};
    std::uint64_t ahead = due;  // of which soon() has not been called
    const auto look_ahead = [&]() __attribute__((always_inline)) {
      if (ahead == 0) return;
      soon(group * kGroup + std::countr_zero(ahead));
      ahead &= ahead - 1;
    };
    for (int i = 0; i < kAhead; ++i) look_ahead();
    for (; due != 0; due &= due - 1) {
      look_ahead();
      const Rank i = std::countr_zero(due);
      const Time next = times[i] = handle(group * kGroup + i);
      earliest = next < earliest ? next : earliest;
    }
  }

  RankSet groups_;                 // with events
  std::vector<Time> earliest_of_;  // each group
  LargeArray<Time> times_;         // of the next event of each rank; kNever: none
  Time earliest_ = kNever;
  Count visits_ = 0;
};

}  // namespace arlab::simulator
