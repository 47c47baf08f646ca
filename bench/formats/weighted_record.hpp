// Weighted shares by the record of a hunt: "weighted:record=hunt.jsonl" has the rates that `arlab
// hunt --json hunt.jsonl` found.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "algorithms/algorithm.hpp"

namespace arlab::bench {

/// What such a name begins with.
inline constexpr std::string_view kWeightedRecord = "weighted:record=";

/// Returns the algorithm of the last hunt in a file, named by its rates: "weighted:rates=2x1x2".
/// It supports only as many ranks as were hunted. Throws Error(usage) if the file has no hunt, or
/// one that could not tell what is slow.
std::shared_ptr<const Algorithm> weighted_by_record(const std::string& path);

}  // namespace arlab::bench
