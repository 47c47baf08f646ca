// Probe: what a search for slow ranks can measure, on any backend: real ranks or simulated ones.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "algorithms/base/types.hpp"

namespace arlab::hunt {

/// Everything is measured that often, at times far apart: what is slow must be slow every time.
inline constexpr int kPasses = 3;
using Passes = std::array<double, kPasses>;

struct Pair {
  Rank from = 0, to = 0;
  bool operator==(const Pair&) const = default;
  auto operator<=>(const Pair&) const = default;
};

/// Of the largest message between hosts.
inline constexpr Bytes kMostBytes = Bytes{4} << 20;

/// Short round trips of a rank with all others. Late ones took kLateUs longer than usual: TCP sends
/// what was lost again after 0.2 s, if nothing follows it.
struct Trips {
  Count all = 0, late = 0;
  double late_us = 0;  ///< what the late ones took together
};
inline constexpr double kLateUs = 1e5;

struct Probe {
  Rank ranks = 1;
  Bytes most_bytes = kMostBytes;  ///< of a message
  /// The group of each rank that is known to be near, such as its machine or its leaf; empty: none.
  std::vector<std::int32_t> group_of = {};
  /// Which kinds of links are between two ranks, as one number; empty: not known.
  std::function<int(Rank, Rank)> kind_of_route = {};
  /// Measures all pairs, which share no ranks, at once: microseconds from the start of a message of
  /// `bytes` until a message of 8 bytes comes back; of each pair the median of a few.
  std::function<std::vector<double>(std::span<const Pair>, Bytes bytes)> round_trips = {};
  /// Returns the microseconds that each rank takes to copy memory, and to add, by itself.
  std::function<std::vector<double>()> copy = {}, add = {};
  /// Returns the short round trips since the start, by rank; each counts for both of its ends.
  std::function<std::vector<Trips>()> trips = {};

  /// Pairs of one class are compared with one another.
  int class_of(Rank from, Rank to) const {
    const int apart = group_of.empty() || group_of[index(from)] == group_of[index(to)] ? 0 : 1;
    return kind_of_route ? 2 * kind_of_route(from, to) + apart : apart;
  }
};

}  // namespace arlab::hunt
