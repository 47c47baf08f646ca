// Tests: pairs that are measured again while little else is under way, beside pairs that are not
// suspected. A pair that was slow because it met others on a link is not slow then.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "bench/hunt/search/rounds.hpp"
#include "bench/hunt/search/times.hpp"

namespace arlab::hunt {

/// Measures a round in one pass. Each of `times` has its pair.
void measure_round(const Probe& probe, Bytes bytes, std::size_t pass, std::span<PairTimes> times);

struct Suspects {
  std::vector<bool> ranks;                   ///< by rank
  std::vector<std::vector<Rank>> slow_with;  ///< by suspected rank: the others of its slow pairs
  std::vector<Pair> routes;                  ///< of other ranks
  std::uint64_t seed = 1;                    ///< of the choice of partners
};

struct TestTimes {
  std::vector<PairTimes> suspects;           ///< that could be measured in all passes
  std::vector<PairTimes> controls[kPasses];  ///< of each pass, whose times alone they have
  Count rounds = 0;
};

/// Measures each suspected rank with a few others, with other suspects, and the suspected routes,
/// as far as `most` rounds suffice. `done`: called after each round.
TestTimes test_suspects(const Probe& probe, Bytes bytes, const Suspects& suspects, Count most,
                        const std::function<void()>& done);

/// Returns the times of the suspects as multiples of those of the controls of the same class.
std::vector<DirectedTime> tested_times(const TestTimes& tests, Quantity quantity,
                                       const Usual& usual, const Probe& probe);

}  // namespace arlab::hunt
