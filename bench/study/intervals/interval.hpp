// The interval of a simulated time on a calibrated machine.
#pragma once

#include <vector>

#include "bench/formats/machine_file.hpp"
#include "bench/results/record.hpp"

namespace arlab::bench {

/// Returns the spread of what the model lacks for this many ranks and bytes. What it lacks is
/// assumed to grow as a random walk: each doubling beyond what was calibrated adds its variance
/// again.
double lack_at(const MachineSpread& spread, Rank ranks, double bytes);

/// Sets the interval of a simulated record. us: the times by the machine's refits.
void set_interval(const MachineSpread& spread, std::vector<double> us, Record& r);

}  // namespace arlab::bench
