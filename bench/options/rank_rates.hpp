// Rates of ranks whose ports a simulated network makes unequal, such as by a fault, and the
// algorithms that need them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "bench/config/config.hpp"
#include "simulator/topologies/fabric.hpp"

namespace arlab::bench {

/// Returns the rates of the ranks' ports as weighted takes them, such as "2x1x2": the slower
/// direction counts. Empty if all are equal, or if hosts forward messages of others, whose ports
/// are not their own.
std::string port_rates(const simulator::Fabric& fabric);

/// Returns the algorithms, those that need rates with those of the layout, if it has some.
std::vector<const Algorithm*> with_rates(std::span<const Algorithm* const> algorithms,
                                         const RankLayout& layout);

}  // namespace arlab::bench
