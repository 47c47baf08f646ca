// machine_fabric: the network of a measured machine: a topology is stated, its rates are measured.
#pragma once

#include <memory>

#include "simulator/connections/machine.hpp"
#include "simulator/topologies/fabric.hpp"

namespace arlab::simulator {

/// Returns the fabric with links so fast that a host's port has the machine's time per byte, if it
/// has one, and so close that the first two ranks have no more than its latency. The same fabric if
/// they are.
std::shared_ptr<const Fabric> machine_fabric(const Machine& machine,
                                             std::shared_ptr<const Fabric> fabric);

}  // namespace arlab::simulator
