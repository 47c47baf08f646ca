// Low rank: the matrices of PowerSGD and their arithmetic.
//
// P and Q lie column by column, so that each column is contiguous: P is rank x rows, Q rank x
// columns.
#pragma once

#include <vector>

#include "training/compressors/compressor.hpp"

namespace arlab::training {

/// A matrix at `at` in the layout. Its factors begin at `p` and `q` among all P and Q.
struct LowRank {
  Count at = 0, rows = 0, columns = 0, rank = 0;
  Count p = 0, q = 0;
};

struct Dense {
  Count at = 0, elements = 0;
};

struct LowRankCut {
  std::vector<LowRank> matrices;
  std::vector<Dense> dense;  ///< tensors that low rank would not shrink
  Count p_floats = 0, q_floats = 0, dense_floats = 0;
};
LowRankCut cut_low_rank(const TensorShapes& layout, Count rank);

/// p = M q.
void times_rows(const float* matrix, const float* q, const LowRank& m, float* p);
/// q += M' p.
void rows_times(const float* matrix, const float* p, const LowRank& m, float* q);
/// into += weight p q'.
void add_product(const float* p, const float* q, const LowRank& m, float weight, float* into);

/// Modified Gram-Schmidt. Columns that depend on earlier columns become 0.
void orthonormalize(float* p, Count rows, Count rank);

/// Redraws columns of Q that are 0 or not finite from the seed: at the start, and after gradients
/// that were zero or not finite.
void renew_lost_rows(float* q, const LowRank& m, const EncodeContext& context);

}  // namespace arlab::training
