// Answers that no command gives as data: networks, and choices of algorithms.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "bench/options/topology_options.hpp"

namespace arlab::bench::python {

/// Returns nodes, links, and metrics of a network, its picture as SVG if it is small enough to be
/// drawn, else null, and as "network" what --network takes for it. `ranks`: 0 for all hosts. Throws
/// Error(usage).
nlohmann::ordered_json network_of(const TopologyOptions& options, Rank ranks);

/// Decides which algorithm to use for each number of ranks and size, from records of simulations.
/// Returns the choices, and the tuning table as a text, as `arlab tune --table` writes it.
nlohmann::ordered_json choices_of(const nlohmann::ordered_json& records, const std::string& origin);

}  // namespace arlab::bench::python
