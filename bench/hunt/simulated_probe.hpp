// Simulated probe: pairs of ranks on a simulated network, with its faults and disturbances.
#pragma once

#include "bench/hunt/search/probe.hpp"
#include "bench/options/model_options.hpp"
#include "bench/simulate/disturbance.hpp"

namespace arlab::bench {

/// Returns a probe of the network, which knows the topology's groups of hosts but none of its
/// faults. A rank that --disturb makes late is so in each measurement. All three must outlive the
/// probe. Throws Error(usage) if the network does not hold the ranks.
hunt::Probe simulated_probe(const ModelOptions& model, const Disturbance& disturbance, Rank ranks);

/// Returns how many NICs a node of the network has; 1 if it has no links.
Rank simulated_nics(const ModelOptions& model, Rank ranks);

/// Returns the names of the ranks' hosts in the topology; empty without one.
std::vector<std::string> simulated_hosts(const ModelOptions& model, Rank ranks);

}  // namespace arlab::bench
