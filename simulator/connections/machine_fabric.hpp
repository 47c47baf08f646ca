// machine_fabric: the network of a measured machine: a topology is stated, its rates are measured.
#pragma once

#include <memory>

#include "algorithms/base/time.hpp"
#include "simulator/connections/machine.hpp"
#include "simulator/topologies/fabric.hpp"

namespace arlab::simulator {

/// Returns the latency of the route between the first two hosts, which the measured one includes:
/// hosts, not ranks, so that no placement changes what the links are.
Time first_latency(const Fabric& fabric);

/// Returns the fabric with links so fast that a host's port, without faults, has the machine's time
/// per byte, if it has one, and so close that first_latency() is no more than the machine's. The
/// same fabric if they are. A port is the link by which messages leave a node.
std::shared_ptr<const Fabric> machine_fabric(const Machine& machine,
                                             std::shared_ptr<const Fabric> fabric);

}  // namespace arlab::simulator
