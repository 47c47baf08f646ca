// The bytes that a rank sends per step with n bytes of gradients and of weights, by an algorithm
// that sends the fewest: 2 n (P - 1) / P; for fsdp 3 n (P - 1) / P; for hsdp with G ranks per group
// and R = P / G groups 3 n (G - 1) / G + 2 n / G (R - 1) / R.
#pragma once

#include "training/strategies/strategy.hpp"

namespace arlab::training {

inline double sharded_bytes(const StrategyKind& kind, double n, Rank ranks, Rank group = 0) {
  const auto part = [](Rank p) { return static_cast<double>(p - 1) / p; };
  if (kind.grouped) return 3 * n * part(group) + 2 * n / group * part(ranks / group);
  return (kind.gathers ? 3 : 2) * n * part(ranks);
}

}  // namespace arlab::training
