// Search: finds ranks, ports, links and groups that are slow, with few rounds of pairs.
//
// Ranks measure themselves, then pairs of ranks, all pairs of a round at once, latency and
// bandwidth apart. A rank whose times with nearly all partners stand out is suspected, as is a pair
// whose ranks do not. Suspects are measured again beside others while little else is under way, and
// suspected ranks with one another: hosts of a leaf whose uplinks are slow are not slow among
// themselves.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "bench/hunt/search/finding.hpp"
#include "bench/hunt/search/ranks.hpp"
#include "bench/hunt/search/rounds.hpp"

namespace arlab::hunt {

enum class Verdict : std::uint8_t {
  slow,   ///< there are findings
  quiet,  ///< nothing is slow
  noisy,  ///< the same measurement differs too much from one time to the next
  few,    ///< too few ranks to tell a slow rank from a slow link
};

/// Fewest ranks of which a slow one can be told.
inline constexpr Rank kFewestRanks = 4;

struct SearchOptions {
  Bytes bytes = Bytes{4} << 20;  ///< of a large message
  std::uint64_t seed = 1;        ///< of the choice of partners in tests
  /// Called before the first round of pairs, and after each: how many are done, and how many are
  /// known to come.
  std::function<void(Count done, Count known)> progress = [](Count, Count) {};
};

/// What was measured of one quantity.
struct Outcome {
  bool is_measured = false;
  double usual_us = 0;  ///< the median; of bandwidth the time of the large message
  double spread = 0;    ///< by which the same measurement differs from one pass to another
  bool is_noisy = false;
  double least_route = 0;  ///< from how many times as long a route is slow; 0: not of pairs
  std::vector<RankScore> sends = {}, receives = {};  ///< by rank; receives: of bandwidth only
};

struct Search {
  Verdict verdict = Verdict::quiet;
  Count rounds = 0;  ///< each in all passes
  Outcome of[4];     ///< by Quantity
  std::vector<Finding> findings = {};
  std::vector<PairTimes> pairs = {};  ///< of the scan
  /// Of bandwidth, as multiples of what is usual of pairs that are as far apart.
  std::vector<DirectedTime> relative = {};

  const Outcome& operator[](Quantity quantity) const { return of[static_cast<int>(quantity)]; }
  Outcome& operator[](Quantity quantity) { return of[static_cast<int>(quantity)]; }
};

Search search(const Probe& probe, const SearchOptions& options = {});

}  // namespace arlab::hunt
