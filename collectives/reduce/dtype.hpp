// The element types and reduction operations that every backend supports; and bytes, which travel
// but are never reduced.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace arlab::collectives {

enum class DType : std::uint8_t {
  float32,
  float64,
  float16,
  bfloat16,
  int32,
  int64,
  int8,
  uint8,
  uint32,
  uint64,
  float8_e4m3,
  float8_e5m2,
  byte
};
enum class Op : std::uint8_t { sum, prod, min, max, avg };

/// Those that can be reduced: all but byte.
inline constexpr DType kDTypes[] = {DType::float32,  DType::float64,     DType::float16,
                                    DType::bfloat16, DType::int32,       DType::int64,
                                    DType::int8,     DType::uint8,       DType::uint32,
                                    DType::uint64,   DType::float8_e4m3, DType::float8_e5m2};
inline constexpr Op kOps[] = {Op::sum, Op::prod, Op::min, Op::max, Op::avg};

/// What a reduction does. avg sums on the way and divides by the number of ranks at the end; small
/// floats are divided by a power of two before (divisors_of()).
struct Operand {
  DType dtype = DType::float32;
  Op op = Op::sum;
};

std::size_t size_of(DType dtype);  ///< bytes an element
bool is_small_float(DType dtype);  ///< floating point in 16 or 8 bits
std::string_view name(DType dtype);
std::string_view name(Op op);

}  // namespace arlab::collectives
