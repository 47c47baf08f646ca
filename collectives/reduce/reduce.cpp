#include "collectives/reduce/reduce.hpp"

#include "algorithms/base/error.hpp"
#include "collectives/reduce/isa.hpp"
#include "collectives/reduce/kernels.hpp"

namespace arlab::collectives {
namespace {

const ReduceKernels& kernels() {
  static const ReduceKernels& chosen =
      select_isa(baseline_kernels(), avx2_kernels(), avx512_kernels(), avx512_fp16_kernels());
  return chosen;
}

}  // namespace

void reduce_into(std::byte* into, const std::byte* from, Count elements, Operand operand) {
  expects(operand.dtype != DType::byte, "bytes are reduced");
  kernels().combine[static_cast<std::size_t>(operand.dtype)][static_cast<std::size_t>(operand.op)](
      into, from, elements);
}

void scale(std::byte* data, Count elements, DType dtype, double divisor) {
  expects(dtype != DType::byte, "bytes are divided");
  kernels().scale[static_cast<std::size_t>(dtype)](data, elements, divisor);
}

AverageDivisors divisors_of(Operand operand, Rank ranks) {
  if (operand.op != Op::avg) return {};
  const double before =
      is_small_float(operand.dtype) ? static_cast<double>(Count{1} << ceil_log2(ranks)) : 1;
  return {before, ranks / before};
}

void divide_before(std::byte* data, Count elements, Operand operand, Rank ranks) {
  const double divisor = divisors_of(operand, ranks).before;
  if (divisor != 1) scale(data, elements, operand.dtype, divisor);
}

void divide_after(std::byte* data, Count elements, Operand operand, Rank ranks) {
  const double divisor = divisors_of(operand, ranks).after;
  if (divisor != 1) scale(data, elements, operand.dtype, divisor);
}

std::string_view reduce_instructions() { return kernels().instructions; }

}  // namespace arlab::collectives
