// Origins: the events by which others were scheduled. They order events of equal times as the
// engine does.
//
// The engine handles events of one time in the order in which they were scheduled. That is the
// order of the events that scheduled them, and so on back to the begins of all ranks at time 0,
// which come in order of ranks. The times of such a sequence of events have a number, which is
// equal for equal times. Ranks whose work is alike, such as the roots of equal subtrees, have the
// same number, and the order of the ranks at which their sequences begin decides.
#pragma once

#include <algorithm>
#include <bit>
#include <compare>
#include <cstdint>
#include <vector>

#include "simulator/network.hpp"

namespace arlab::simulator {

/// An event that schedules others: when it was, and perhaps the sequence that led to it.
class Origin {
 public:
  /// Of an unknown sequence.
  constexpr explicit Origin(Time time = {}) : bits_(static_cast<std::uint64_t>(time.count())) {}
  /// Of the sequence with this number (see Origins) that begins at this rank.
  constexpr Origin(std::uint32_t number, Rank rank)
      : bits_(kKnown | std::uint64_t{number} << 32 | static_cast<std::uint32_t>(rank)) {}

  bool is_known() const { return (bits_ & kKnown) != 0; }
  std::uint32_t number() const { return static_cast<std::uint32_t>((bits_ & ~kKnown) >> 32); }
  Rank rank() const { return static_cast<Rank>(bits_ & 0xFFFFFFFF); }
  Time time() const { return Time{static_cast<std::int64_t>(bits_)}; }  ///< if it is not known

 private:
  static constexpr std::uint64_t kKnown = std::uint64_t{1} << 63;
  std::uint64_t bits_;
};
static_assert(sizeof(Origin) == 8);

class Origins {
 public:
  static constexpr std::size_t kMost = std::size_t{1}
                                       << 14;  ///< numbers; later sequences stay unknown

  explicit Origins(Rank ranks)
      : sequences_(std::min(kMost, std::bit_ceil(8 * index(ranks))), kBefore),
        shift_(64 - std::countr_zero(sequences_.size())) {}

  /// Returns the origin of the begin of a rank.
  static Origin of_begin(Rank rank) { return {kRoot, rank}; }

  /// Returns the origin of what an event schedules that happens at `now` and has the origin
  /// `before`.
  Origin next(Origin before, Time now) {
    if (!before.is_known()) return Origin(now);
    const std::uint32_t number = number_of({now, before.number()});
    return number == kNone ? Origin(now) : Origin(number, before.rank());
  }

  Time time(Origin origin) const {
    if (!origin.is_known()) return origin.time();
    return at(origin.number()).time;
  }

  /// Returns the order of events of one time that have these origins; unordered if it is not known.
  /// It compares counts, since libc++ 16 has no <=> of durations.
  std::partial_ordering order(Origin a, Origin b) const {
    if (const Time at_a = time(a), at_b = time(b); at_a != at_b)
      return at_a.count() <=> at_b.count();
    if (!a.is_known() || !b.is_known()) return std::partial_ordering::unordered;
    std::uint32_t of_a = a.number(), of_b = b.number();
    for (; of_a != of_b; of_a = at(of_a).before, of_b = at(of_b).before)
      if (const Time at_a = at(of_a).time, at_b = at(of_b).time; at_a != at_b)
        return at_a.count() <=> at_b.count();
    if (a.rank() == b.rank()) return std::partial_ordering::unordered;
    return a.rank() <=> b.rank();
  }

  /// Returns the origin without its sequence.
  Origin forgotten(Origin origin) const { return Origin(time(origin)); }

 private:
  static constexpr std::uint32_t kNone = 0x7FFFFFFF, kRoot = kNone - 1;
  static constexpr std::size_t kTries = 8;

  struct Sequence {        // its place is its number
    Time time;             // of the latest event
    std::uint32_t before;  // number of the sequence without it; kNone: free
    bool operator==(const Sequence&) const = default;
  };
  static constexpr Sequence kBefore{Time{-1}, kNone};  // of the begins: all are scheduled first

  const Sequence& at(std::uint32_t number) const {
    return number == kRoot ? kBefore : sequences_[number];
  }

  std::uint32_t number_of(const Sequence& sequence) {
    const std::uint64_t key =
        static_cast<std::uint64_t>(sequence.time.count()) ^ std::uint64_t{sequence.before} << 32;
    std::size_t place = static_cast<std::size_t>(key * 0x9E3779B97F4A7C15u >> shift_);
    for (std::size_t i = 0; i < kTries; ++i, place = (place + 1) % sequences_.size()) {
      if (sequences_[place].before == kNone) sequences_[place] = sequence;
      if (sequences_[place] == sequence) return static_cast<std::uint32_t>(place);
    }
    return kNone;
  }

  std::vector<Sequence> sequences_;
  int shift_;
};

}  // namespace arlab::simulator
