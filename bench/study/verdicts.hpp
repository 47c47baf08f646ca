// Verdicts: which of the algorithms of one problem is the fastest, as far as the runs can say.
#pragma once

#include <vector>

#include "bench/measure/measure.hpp"
#include "bench/results/record.hpp"

namespace arlab::bench {

/// Fills in the p-values of records of one problem, which were measured in turns: each against the
/// one of its mode with the lowest median, and against the library's own collective.
void compare_with_fastest(std::vector<Record>& records, const std::vector<Measurement>& measured);

/// Fills in the verdicts of a whole table, from those p-values, corrected for their number:
/// "slower" than the fastest by a p-value below 0.05; "tie" with it; or "not enough runs" for any
/// verdict. "fastest" if all others are slower. The same tests say how each is beside the library.
void decide_verdicts(std::vector<Record>& table);

}  // namespace arlab::bench
