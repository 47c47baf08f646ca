// Choice: which algorithm, protocol, and number of channels NCCL takes for a size.
//
// Source: topoGetAlgoInfo and calcCollChunking in src/enqueue.cc of NVIDIA/nccl, as facts.
#pragma once

#include <vector>

#include "simulator/nccl/support.hpp"
#include "simulator/nccl/tuning.hpp"

namespace arlab::simulator::nccl {

struct Choice {
  const Estimate* estimate = nullptr;
  double us = 0;     ///< NCCL's estimate
  int channels = 1;  ///< that the call uses
};

/// Whether the type and operation leave this algorithm to be considered.
bool supported(const Support& support, Algorithm algorithm);

/// Returns the estimate with the least time for what `support` allows. It points into `tuning`.
Choice choose(const Tuning& tuning, double bytes, const Support& support = {});

/// Returns the channels that a call of this algorithm, protocol, and size uses.
int used_channels(const Tuning& tuning, const Estimate& estimate, double bytes);

/// Returns the bytes of one chunk of NVLS and NVLSTree.
double nvls_chunk(const Tuning& tuning, Algorithm algorithm, double bytes);

/// Sizes [first, last] that have the same choice, from `first` to `last` by factors of 2.
struct Range {
  double first = 0, last = 0;
  const Estimate* estimate = nullptr;
};
std::vector<Range> choices(const Tuning& tuning, double first, double last,
                           const Support& support = {});

}  // namespace arlab::simulator::nccl
