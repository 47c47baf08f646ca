// Standings: who is the fastest of each contest, as far as rank-sum tests can say.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace arlab::bench {

/// A competitor against the one with the lowest median of its contest.
struct FastestTest {
  std::size_t contest = 0;  ///< its number, from 0
  double p = 1;             ///< of a rank-sum test
  double least_p = 1;       ///< that samples of these sizes can have
};

enum class Standing { fastest, tie, undecided, slower };

struct Standings {
  std::vector<double> p;          ///< of each test, corrected for their number
  std::vector<Standing> tested;   ///< slower, tie, or undecided: too few samples for any verdict
  std::vector<Standing> fastest;  ///< of each contest: fastest if all others are slower
};

Standings standings_of(std::span<const FastestTest> tests);

/// Returns "slower", "tie", "fastest", or "not enough runs"; `samples`: what the samples are,
/// "runs".
std::string text_of(Standing standing, std::string_view samples);

}  // namespace arlab::bench
