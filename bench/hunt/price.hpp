// Prices of slow ports: the commands that compute what they cost.
#pragma once

#include <string>

#include "bench/hunt/hunt_report.hpp"

namespace arlab::bench {

/// Returns sentences with commands; empty if no port has a low bandwidth, or there are too many
/// ranks for shares.
std::string price_commands(const Hunted& hunted, const hunt::Search& found);

}  // namespace arlab::bench
