// How far the measurements of a calibration leave the machine open.
#pragma once

#include <cstdint>

#include "bench/calibrate/fit.hpp"
#include "bench/formats/machine_file.hpp"

namespace arlab {
class Random;
}

namespace arlab::bench {

inline constexpr int kRefits = 20;

/// Returns the times, each with another error of its size (a parametric bootstrap: Efron and
/// Tibshirani 1993).
ProbeTimes with_other_errors(ProbeTimes times, const Random& random);

/// Fits to times with other errors. What the model lacks is by how much more it misses the times
/// that it does not repeat than their errors explain; 0 if these explain it.
MachineSpread spread_of_fit(const Fit& fitted, const ProbeTimes& times, bool several_hosts,
                            int refits = kRefits, std::uint64_t seed = 1);

}  // namespace arlab::bench
