// reduce: the arithmetic of a reduction on plain memory, vectorised.
#pragma once

#include <cstddef>
#include <string_view>

#include "algorithms/problem.hpp"
#include "collectives/reduce/dtype.hpp"

namespace arlab::collectives {

/// into[i] = into[i] op from[i]. The two either are the same memory or do not overlap; neither
/// needs alignment. avg sums (see scale). Integers wrap around. min and max of a NaN are
/// unspecified. Half types are computed in float and rounded to nearest even.
void reduce_into(std::byte* into, const std::byte* from, Count elements, Operand operand);

/// data[i] = data[i] / divisor, the end of an avg. Integers truncate towards zero, as in C++.
void scale(std::byte* data, Count elements, DType dtype, Rank divisor);

/// The instruction set that both use on this processor, such as "AVX2".
std::string_view reduce_instructions();

}  // namespace arlab::collectives
