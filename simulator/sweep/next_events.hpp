// NextEvents: when each rank has its next event, and which ranks have one before a given time.
//
// Ranks are looked at in groups of 64, without a branch per rank. Groups without events are skipped.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "simulator/network.hpp"
#include "simulator/sweep/large_array.hpp"
#include "simulator/sweep/rank_set.hpp"

namespace arlab::simulator {

class NextEvents {
 public:
  /// No rank has an event.
  explicit NextEvents(Rank ranks)
      : ranks_(ranks),
        groups_((ranks + kGroup - 1) / kGroup),
        times_((index(ranks) + kGroup - 1) / kGroup * kGroup) {
    std::uninitialized_fill_n(times_.data(), (index(ranks) + kGroup - 1) / kGroup * kGroup, kNever);
  }

  /// The rank has an event at `time`.
  void add(Rank rank, Time time) {
    Time& next = times_.data()[index(rank)];
    if (next == kNever) groups_.insert(rank / kGroup);
    next = std::min(next, time);
    earliest_ = std::min(earliest_, time);
  }
  /// Loads what add() needs.
  void prefetch(Rank rank) const { __builtin_prefetch(times_.data() + index(rank), 1); }

  /// Calls handle(rank) in order of ranks, for those with an event before `end`. It returns the time of
  /// the rank's next event, kNever for none. Shortly before, calls soon(rank). Returns the time of the
  /// next event of all ranks.
  template <class Soon, class Handle>
  Time pass(Time end, Soon soon, Handle handle) {
    earliest_ = kNever;
    for (Rank g = groups_.next(0); g != RankSet::kNone; g = groups_.next(g + 1)) {
      ++visits_;
      Time* const times = times_.data() + index(g) * kGroup;
      std::uint64_t due = 0;
      Time next = kNever;
      const Rank size = std::min(kGroup, ranks_ - g * kGroup);
      for (Rank i = 0; i < size; ++i) {
        const std::int64_t is_due = times[i] < end ? 1 : 0;
        due |= static_cast<std::uint64_t>(is_due) << i;
        const Time later{times[i].count() | (-is_due & kNever.count())};  // kNever if it is due
        next = std::min(next, later);
      }
      for (std::uint64_t rest = due; rest != 0; rest &= rest - 1)
        soon(g * kGroup + std::countr_zero(rest));
      for (; due != 0; due &= due - 1) {
        const Rank i = std::countr_zero(due);
        times[i] = handle(g * kGroup + i);
        next = std::min(next, times[i]);
      }
      earliest_ = std::min(earliest_, next);
      if (next == kNever && is_empty(times)) groups_.erase(g);
    }
    return earliest_;
  }
  /// Returns the time of the next event, also if it was added after pass().
  Time earliest() const { return earliest_; }

  /// Returns how often pass() looked at a group.
  Count visits() const { return visits_; }

 private:
  static constexpr Rank kGroup = 64;

  // An event may have been added while the group was handled.
  static bool is_empty(const Time* times) {
    return std::all_of(times, times + kGroup, [](Time time) { return time == kNever; });
  }

  Rank ranks_;
  RankSet groups_;          // with events
  LargeArray<Time> times_;  // of the next event of each rank; kNever: none
  Time earliest_ = kNever;
  Count visits_ = 0;
};

}  // namespace arlab::simulator
