// Support: what of NCCL computes a collective of some type and operation, and what NCCL avoids.
//
// Source: ncclNvlsSupported in src/include/device.h, updateCollCostTable in src/enqueue.cc, and
// ncclSymkImplemented in src/sym_kernels.cc of NVIDIA/nccl, as facts.
#pragma once

#include "algorithms/problem.hpp"
#include "simulator/nccl/machine.hpp"

namespace arlab::simulator::nccl {

/// Types by what NCCL asks of them. `half` is also bfloat16; `integer` has 32 or 64 bits.
enum class Number : std::uint8_t { float64, float32, half, float8, integer, byte };
enum class Reduction : std::uint8_t { sum, product, min_or_max, average };

struct Support {
  bool nvls = true;        ///< NVSwitches compute it, or only copy it
  bool pat = true;         ///< PAT has it
  bool symmetric = true;   ///< there are symmetric kernels for it, if the version has any
  double ring_weight = 1;  ///< by how much NCCL counts a ring's time, so as to avoid it
};

Support support_of(const Machine& machine, Collective collective, Number number,
                   Reduction reduction);

}  // namespace arlab::simulator::nccl
