// Symmetric kernels: NCCL's allreduces of buffers that all GPUs of a node map (windows, since
// 2.27).
//
// Source: queryModel_lsa in src/sym_kernels.cc of NVIDIA/nccl, as facts.
#pragma once

#include <string_view>
#include <vector>

#include "simulator/nccl/machine.hpp"

namespace arlab::simulator::nccl {

struct SymmetricKernel {
  std::string_view name;  ///< "one_shot_ll", "two_shot", ...
  double us = 0;          ///< NCCL's score, by which it picks a kernel: some beat the links
  double links_us = 0;    ///< that a GPU's links take for what the kernel moves, at their full rate
  int blocks = 0;         ///< thread blocks: the fewest that reach the time within 2.5%
};

/// Returns the kernels for an allreduce inside a node, by time; none before 2.27, on several
/// nodes, or without NVLink.
std::vector<SymmetricKernel> symmetric_kernels(const Machine& machine, double bytes);

}  // namespace arlab::simulator::nccl
