// Decisions as sentences and as records.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "bench/results/record.hpp"
#include "bench/training/decisions/decision.hpp"

namespace arlab::bench {

/// Returns a verdict per model and device: what pays below which rate, and by network what limits a
/// step, what shortens it, and the best buckets; then what a plan does not know. `codes_by_bytes`:
/// codes take the time of their bytes, no given one.
std::vector<std::string> explain(std::span<const Decision> decisions, bool codes_by_bytes = true);

Json to_json(const Decision& decision);

/// Returns the decisions among records that the schema accepts.
std::vector<Decision> decisions_of(std::span<const Json> records);

}  // namespace arlab::bench
