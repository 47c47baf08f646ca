// Round size: the largest round of an algorithm, for estimates of memory.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>

#include "bench/config/config.hpp"

namespace arlab::bench {

/// Estimates the largest round of any algorithm, in a time that does not grow with the ranks: it
/// looks at the first rounds on a few ranks, and extends a linear growth to the wanted number. Up
/// to 64 ranks the result is exact.
class RoundSizes {
 public:
  struct Size {
    double actions = 0;
    double reduced = 0;  ///< elements that one round reduces, as a part of the lane's vector
  };
  enum class Of : std::uint8_t { root, last_rank };

  Size operator()(const Config& config, Of rank);
  /// Returns the number of elements that the largest round of these ranks reduces.
  double reduced_elements(const Config& config);

 private:
  Size measured(const Config& config, Rank ranks, Of rank);

  std::map<std::tuple<const Algorithm*, Collective, Rank, Of>, Size> known_;
};

}  // namespace arlab::bench
