// The constants of NCCL's cost model, by version, GPU, and processor.
//
// Source: src/graph/tuning.cc of NVIDIA/nccl at the tags v2.8.4-1 to v2.30.3-1, as facts. Latencies
// are in us, rates in GB/s.
#pragma once

#include <array>

#include "simulator/nccl/machine.hpp"

namespace arlab::simulator::nccl {

/// One value per protocol.
using PerProtocol = std::array<double, 3>;

/// Latency of one step over one kind of link.
struct StepLatency {
  PerProtocol tree, ring;
  double collnetdirect = 0, collnetchain = 0, nvls = 0, nvlstree = 0, pat = 0;  // simple only

  double of(Algorithm algorithm, Protocol protocol) const;
};

struct Constants {
  PerProtocol tree_base, ring_base;  ///< of a call
  StepLatency inside, network;
  double ll_max = 0;  ///< rate of all channels with LL
  // Of one channel, at most:
  double ring_ll128 = 0, tree = 0, tree_ll128 = 0, nvlstree = 0;
  double nvls_share = 0;  ///< of a link's rate, since 2.28
  double overhead = 0;    ///< of the processor, per message on a network
};

Constants constants_of(const Machine& machine);

}  // namespace arlab::simulator::nccl
