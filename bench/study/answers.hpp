// Answers: what the records of a command say, as sentences: who is the fastest, over which sizes,
// and whether the library's own collective is slower.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "bench/results/record.hpp"

namespace arlab::bench {

/// Returns sentences about records of `verify`, `count`, `simulate` and `run`; none about others.
/// Each number of ranks, network and mode has its own. The last of `run` is the verdict on the
/// library's own collective, where there is one.
std::vector<std::string> answers(std::span<const Json> records);

}  // namespace arlab::bench
