#include "simulator/nccl/support.hpp"

namespace arlab::simulator::nccl {
namespace {

// An average is no sum on the way: floating-point numbers are multiplied first (ncclDevPreMulSum),
// integers divided last (ncclDevSumPostDiv).
bool nvswitches_compute(Number number, Reduction reduction) {
  switch (number) {
    case Number::float64:
    case Number::float32:
      return reduction == Reduction::sum;
    case Number::half:
    case Number::integer:
      return reduction == Reduction::sum || reduction == Reduction::min_or_max;
    default:
      return false;
  }
}

bool has_symmetric_sum(Number number) {
  return number == Number::float32 || number == Number::half || number == Number::float8;
}

}  // namespace

Support support_of(const Machine& m, Collective collective, Number number, Reduction reduction) {
  constexpr Rank kDeep = 8;          // ranks beyond which sums of 8 bits lose precision in a ring
  constexpr double kAvoided = 1024;  // since 2.24
  const bool computes = collective != Collective::all_gather;
  Support support;
  support.nvls = !computes || nvswitches_compute(number, reduction);
  support.pat = collective != Collective::reduce_scatter || reduction != Reduction::average;
  support.symmetric = !computes || (reduction == Reduction::sum && has_symmetric_sum(number));
  if (number == Number::float8 && m.version >= 22400 && m.ranks() > kDeep)
    support.ring_weight = kAvoided;
  return support;
}

}  // namespace arlab::simulator::nccl
