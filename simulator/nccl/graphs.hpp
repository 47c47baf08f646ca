// Graphs: how many channels NCCL finds for its algorithms on a machine, and what each may carry.
//
// NCCL tries rates of a list and keeps the channels of the best; so does this search, for machines
// whose GPUs are alike. Source: src/graph/search.cc and topo.h of NVIDIA/nccl, as facts.
#pragma once

#include "simulator/nccl/machine.hpp"

namespace arlab::simulator::nccl {

struct Graph {
  int channels = 0;
  double inside = 0, between = 0;  ///< GB/s of a channel in and between nodes
};

struct Graphs {
  Graph ring, tree, nvls, collnet;

  const Graph& of(Algorithm algorithm) const;
};

Graphs graphs_of(const Machine& machine);

/// Returns the channels that a call may use: NCCL makes two of each in the graph of rings.
int channels_of(const Machine& machine, const Graphs& graphs);

/// Returns the channels of NVLS kernels.
int nvls_channels(const Machine& machine);

}  // namespace arlab::simulator::nccl
