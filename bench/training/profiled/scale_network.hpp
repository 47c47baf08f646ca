// ScaleNetwork: the network of a simulated training: one port per GPU, a topology, or a machine
// file.
#pragma once

#include <memory>
#include <string>

#include "algorithms/base/time.hpp"
#include "bench/options/model_options.hpp"
#include "training/simulation/training_plan.hpp"

namespace arlab::bench {

class ScaleNetwork {
 public:
  /// `spec`: "100G" (bits per second of a port), "100G:latency=5us", "fat_tree:k=16", or the name
  /// of a machine file, which ends in ".toml". Throws Error(usage) that names it.
  ScaleNetwork(std::string spec, std::uint64_t seed);

  const std::string& text() const { return spec_; }
  bool has_ports() const { return bandwidth_ > 0; }
  Time latency() const { return latency_; }  ///< of ports

  /// Returns networks of this many ranks, and sets the plan's ranks, groups and grid to fit. This
  /// must outlive them. `group`: consecutive ranks per node; 0: as the topology says.
  /// `refit`: in place of the machine, one of its spread().
  training::MakeNetwork on(training::TrainingPlan& plan, Rank ranks, Rank group,
                           const simulator::Machine* refit = nullptr) const;
  /// Returns what intervals need; null but with a machine file, and with an older one.
  const MachineSpread* spread() const { return has_ports() ? nullptr : model_.spread(); }
  /// Whether it is a machine file without intervals, as older ones.
  bool lacks_intervals() const {
    return !has_ports() && !model_.machine_path.empty() && !model_.spread();
  }

 private:
  std::string spec_;
  double bandwidth_ = 0;  // of a port, bytes per second; 0: links
  Time latency_{};
  mutable ModelOptions model_;  // builds topologies once per number of ranks
};

}  // namespace arlab::bench
