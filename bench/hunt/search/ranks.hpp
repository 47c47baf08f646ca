// Slow ranks: those whose times with nearly all partners are far above those of other ranks.
//
// A pair is as slow as the slower of its two ends, so that the median over a rank's partners is the
// rank's own time while fewer than half of its partners are slow. The medians are compared with the
// median of all, in units of their median absolute deviation.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bench/hunt/search/times.hpp"

namespace arlab::hunt {

enum class Side : std::uint8_t { sends, receives };

/// One rank: `times` as slow as usual, in the median of the passes; z: of the least clear pass.
struct RankScore {
  double times = 1, z = 0;
  bool is_suspect = false;  ///< slow in every pass
  /// The time halfway between usual and this rank's: a pair that is faster is not slowed by it.
  double halfway() const { return 1 + (times - 1) / 2; }
};

/// From how many times as long a rank is slow.
double least_factor(Quantity quantity);

/// Returns the score of each rank on one side. Suspects are slow with three of four partners.
std::vector<RankScore> scores_of(std::span<const DirectedTime> relative, Rank ranks,
                                 Quantity quantity, Side side);

/// The same of what ranks measure alone: times[pass][rank].
std::vector<RankScore> scores_alone(std::span<const std::vector<double>> times, Quantity quantity);

/// Whether `late` of `all` late round trips are more of a rank than chance gives any of the ranks.
bool is_more_than_chance(Count late, Count all, Rank ranks);

}  // namespace arlab::hunt
