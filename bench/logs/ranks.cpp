#include "bench/logs/ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace arlab::bench {
namespace {

constexpr RankRange kAny{1, kMostLoggedRanks}, kNone{1, 0};

// The whole numbers n with low <= n <= high.
RankRange whole(double low, double high) {
  const double most = kMostLoggedRanks;
  return {static_cast<Rank>(std::clamp(std::ceil(low), 1.0, most + 1)),
          static_cast<Rank>(std::clamp(std::floor(high), 0.0, most))};
}

}  // namespace

RankRange possible_ranks(const NcclLogRow& row, Collective collective) {
  if (row.count == 0) return kAny;
  const auto element = static_cast<std::int64_t>(collectives::size_of(row.dtype));
  const std::int64_t parts = row.size / element / row.count;  // of the vector that the count is of
  const double least = std::max(0.0, row.busbw.low()) / row.algbw.high();
  const double most = row.algbw.low() > 0 ? row.busbw.high() / row.algbw.low() : INFINITY;
  switch (collective) {
    case Collective::allreduce:  // the factor f is 2 (n - 1) / n, so n is 2 / (2 - f)
      if (parts != 1) return kNone;
      return whole(least < 2 ? 2 / (2 - least) : INFINITY, most < 2 ? 2 / (2 - most) : INFINITY);
    case Collective::reduce_scatter:
    case Collective::all_gather: {
      const double factor = static_cast<double>(parts - 1) / static_cast<double>(parts);
      if (parts > kMostLoggedRanks || factor < least || factor > most) return kNone;
      return {static_cast<Rank>(parts), static_cast<Rank>(parts)};
    }
    case Collective::reduce:
    case Collective::broadcast:
      return parts == 1 && least <= 1 && most >= 1 ? kAny : kNone;
  }
  return kNone;
}

RankRange likely_ranks(const NcclRows& rows, Collective collective) {
  std::map<Rank, int> changes;  // of the number of rows that fit, from this number of ranks on
  for (const NcclLogRow& row : rows) {
    const auto [first, last] = possible_ranks(row, collective);
    if (first > last) continue;
    ++changes[first];
    --changes[last + 1];
  }
  RankRange best = kAny;
  int fit = 0, most = 0;
  for (auto at = changes.begin(); at != changes.end(); ++at) {
    fit += at->second;
    if (fit <= most) continue;
    most = fit;
    const auto next = std::next(at);
    best = {at->first, next == changes.end() ? kMostLoggedRanks : next->first - 1};
  }
  return best;
}

std::string to_text(const RankRange& range) {
  if (range.first == range.second) return std::to_string(range.first);
  if (range.second == kMostLoggedRanks)
    return range.first <= 2 ? "any number" : fmt::format("{} or more", range.first);
  return fmt::format("{} to {}", range.first, range.second);
}

}  // namespace arlab::bench
