#include "collectives/reduce.hpp"

#include "collectives/reduce_kernels.hpp"

namespace arlab {
namespace {

const ReduceKernels& choose() {
#if defined(__x86_64__) || defined(__i386__)
  if (avx512_kernels() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    return *avx512_kernels();
  if (avx2_kernels() && __builtin_cpu_supports("avx2"))  // and so F16C, which came before it
    return *avx2_kernels();
#endif
  return baseline_kernels();
}

const ReduceKernels& kernels() {
  static const ReduceKernels& chosen = choose();
  return chosen;
}

}  // namespace

void reduce_into(std::byte* into, const std::byte* from, Count elements, Operand operand) {
  kernels().combine[static_cast<std::size_t>(operand.dtype)][static_cast<std::size_t>(operand.op)](
      into, from, elements);
}

void scale(std::byte* data, Count elements, DType dtype, Rank divisor) {
  kernels().scale[static_cast<std::size_t>(dtype)](data, elements, divisor);
}

std::string_view reduce_instructions() { return kernels().instructions; }

}  // namespace arlab
