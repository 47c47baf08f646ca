// RunningCost: what the GPUs of a plan cost and consume.
#pragma once

#include <optional>
#include <string>

#include "algorithms/base/types.hpp"
#include "bench/training/training_spec.hpp"

namespace arlab::bench {

/// Of one GPU; none: not given, and not known.
struct GpuPrice {
  std::optional<double> dollars_per_hour = {}, watts = {};
};

/// Returns what --compute says of this device; watts: by default those of its data sheet. Throws
/// Error(usage) unless it has one number for all GPUs, or one for each --compute gpu.
GpuPrice price_of(const TrainingSpec& spec, const std::string& device);

/// Returns whether costs are asked for: energy is known of every GPU.
bool asks_cost(const TrainingSpec& spec);

/// Per million samples.
struct RunningCost {
  std::optional<double> dollars = {}, kilowatt_hours = {};
};

/// Of this many GPUs, each in use for the whole time. Servers are not counted.
RunningCost running_cost(const GpuPrice& price, Rank gpus, double samples_per_second);

}  // namespace arlab::bench
