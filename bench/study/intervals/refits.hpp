// Refits: a simulated time on the refits of a calibrated machine, and how two such times compare.
//
// The refits are the same for all times, in one order, so that the ratio of two times is known
// better than each of them: what both depend on cancels.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/results/record.hpp"

namespace arlab::bench {

struct RefittedTime {
  double us = 0;                      ///< by the measured machine
  std::vector<double> by_refit = {};  ///< us, by each refit
  double lack = 0;  ///< spread of the logarithm by what the model lacks, apart from other times
};

/// The time of one algorithm by that of another, and where 80% of such ratios are expected.
struct RatioInterval {
  double ratio = 1, low = 1, high = 1;
  bool is_tie() const { return low <= 1 && high >= 1; }
};

/// Returns the standard deviation of the logarithms; 0 of fewer than two, and if one is not above
/// 0.
double log_deviation(std::span<const double> values);

/// Returns the time of `a` by that of `b`. Expects refits of the same machine.
RatioInterval ratio_interval(const RefittedTime& a, const RefittedTime& b);

/// Returns the refitted time of a record of `simulate`; nothing if it has none.
std::optional<RefittedTime> refitted_time(const Json& record);

/// "1.04 times, 80% interval 0.93 to 1.16".
std::string text_of(const RatioInterval& ratio);

/// Says what of the records is outside of what was calibrated, or why there are no intervals
/// although the machine was calibrated; empty if nothing.
std::vector<std::string> calibration_notes(std::span<const Json* const> records);

}  // namespace arlab::bench
