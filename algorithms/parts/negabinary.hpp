// Negabinary numbers, base -2, and the partners that Swing and Bine trees derive from them.
//
// k digits hold every residue modulo 2^k once.
#pragma once

#include <cstdint>

#include "algorithms/fold.hpp"

namespace arlab {

inline constexpr std::uint64_t kNegativeDigits = 0xAAAAAAAAAAAAAAAA;  // weights -2, -8, ...

/// Returns the `digits` low negabinary digits of a number modulo 2^digits.
inline std::uint64_t to_negabinary(Count number, int digits) {
  const auto value = static_cast<std::uint64_t>(number);
  return ((value + kNegativeDigits) ^ kNegativeDigits) & ((std::uint64_t{1} << digits) - 1);
}

/// Returns the number of `digits` negabinary digits, modulo 2^digits.
inline Count from_negabinary(std::uint64_t negabinary, int digits) {
  return static_cast<Count>(((negabinary ^ kNegativeDigits) - kNegativeDigits) &
                            ((std::uint64_t{1} << digits) - 1));
}

/// Returns the partner of a rank of the core in Swing's step: rho(step) = (1 - (-2)^(step+1)) / 3
/// to the right of an even rank, as far to the left of an odd one.
inline Rank swing_partner(const Fold& fold, Rank me, int step) {
  const Count power = Count{1} << (step + 1);
  const Count rho = (1 - (step % 2 == 0 ? -power : power)) / 3;
  return static_cast<Rank>((me % 2 == 0 ? me + rho : me - rho) & (fold.core - 1));
}

/// Shifts of all ranks by an even number map even ranks onto even ones; nothing if ranks fold.
inline std::optional<RankSymmetry> swing_symmetry(const Problem& p) {
  if (Fold(p.ranks).extras() > 0) return {};
  return RankSymmetry({p.ranks}, std::min<Rank>(2, p.ranks));
}

/// Returns |rho(step)|: 1, 1, 3, 5, 11, ...
inline Count swing_distance(int step) {
  const Count power = Count{1} << (step + 1);
  return (step % 2 == 0 ? 1 + power : power - 1) / 3;
}

/// Returns the loads of the hottest links of a ring, in multiples of N; 0 if ranks fold. Step s
/// crosses one (|rho(s)|+1)/2 times, with whole vectors or, in each of two halves, with N / 2^(s+1)
/// elements.
inline double swing_link_load(const Problem& p, bool halves) {
  const Fold fold(p.ranks);
  double load = 0;
  for (int s = 0; s < fold.steps; ++s) {
    const auto crossings = static_cast<double>(swing_distance(s) + 1) / 2;
    load += halves ? crossings / static_cast<double>(Count{1} << s) : crossings;
  }
  return fold.extras() > 0 || p.ranks < 4 ? 0 : load;
}

}  // namespace arlab
