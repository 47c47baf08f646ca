// What a record of `arlab hunt` says, as sentences, for reports.
#pragma once

#include <string>
#include <vector>

#include "bench/results/record.hpp"

namespace arlab::bench {

/// Returns a sentence per place that is slow, or why there is none.
std::vector<std::string> hunt_answers(const Json& record);

}  // namespace arlab::bench
