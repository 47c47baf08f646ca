// reduce: the arithmetic of a reduction on plain memory, vectorized.
#pragma once

#include <cstddef>
#include <string_view>

#include "algorithms/problem.hpp"
#include "collectives/reduce/dtype.hpp"

namespace arlab::collectives {

/// into[i] = into[i] op from[i]. The two either are the same memory or do not overlap; neither
/// needs alignment. avg sums (see divisors_of). Integers wrap around. min and max are those of IEEE
/// 754-2019: a NaN gives the canonical quiet NaN, and -0 is less than +0, so that every order of
/// ranks ends with the same bits. 16-bit and 8-bit floats are computed in float and
/// rounded to nearest even; 8-bit floats saturate (float8.hpp).
void reduce_into(std::byte* into, const std::byte* from, Count elements, Operand operand);

/// data[i] = data[i] / divisor, for avg. Integers truncate towards zero, as in C++; their divisor
/// is an integer.
void scale(std::byte* data, Count elements, DType dtype, double divisor);

/// What avg divides by: every contribution before the first addition, and the sum at the end.
struct AverageDivisors {
  double before = 1, after = 1;
};

/// Returns the divisors; both are 1 unless operand.op is avg. In 16 and 8 bits a sum overflows
/// where the average would not, so contributions are first divided by the power of two that is at
/// least `ranks`. Only numbers that become subnormal lose bits by that.
AverageDivisors divisors_of(Operand operand, Rank ranks);

/// Divides what one rank contributes, or the sum, if there is anything to divide.
void divide_before(std::byte* data, Count elements, Operand operand, Rank ranks);
void divide_after(std::byte* data, Count elements, Operand operand, Rank ranks);

/// The instruction set that both use on this processor, such as "AVX2".
std::string_view reduce_instructions();

}  // namespace arlab::collectives
