// Times of pairs, as multiples of what is usual between such ranks, and robust statistics of them.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "bench/hunt/search/probe.hpp"

namespace arlab::hunt {

/// Losses are counted, not measured: of what is found only.
enum class Quantity : std::uint8_t { copy, addition, latency, bandwidth, loss };
inline constexpr Quantity kQuantities[] = {Quantity::copy, Quantity::addition, Quantity::latency,
                                           Quantity::bandwidth};

/// One pair, in each pass, in microseconds: half the round trip of small messages, and what the
/// large message takes longer than that, in both directions.
struct PairTimes {
  Pair pair;
  Passes latency{}, there{}, back{};
};

/// A time from one rank to another, in each pass.
struct DirectedTime {
  Rank from = 0, to = 0;
  Passes times{};
};

/// Returns both directions of every pair. Latencies are equal in both.
std::vector<DirectedTime> directed_times(std::span<const PairTimes> pairs, Quantity quantity);

double median(std::vector<double> values);  ///< expects at least one

/// What is usual of each class of pairs, in each pass; nothing of a class of too few pairs.
using Usual = std::map<int, Passes>;

Usual usual_times(std::span<const DirectedTime> times, const Probe& probe);

/// Divides the times by what is usual, and drops those of which nothing is.
std::vector<DirectedTime> relative_times(std::vector<DirectedTime> times, const Usual& usual,
                                         const Probe& probe);

/// Returns by how much the passes of a time differ in the median: 0.1 are 10%.
double spread_of(std::span<const DirectedTime> times);

}  // namespace arlab::hunt
