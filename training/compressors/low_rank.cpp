#include "training/compressors/low_rank.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "training/compressors/codes.hpp"

namespace arlab::training {

LowRankCut cut_low_rank(const TensorShapes& layout, Count rank) {
  LowRankCut cut;
  Count at = 0;
  for (const Matrix& m : layout) {
    if (rank * (m.rows + m.columns) < m.elements()) {  // so both exceed the rank
      cut.matrices.push_back({at, m.rows, m.columns, rank, cut.p_floats, cut.q_floats});
      cut.p_floats += rank * m.rows;
      cut.q_floats += rank * m.columns;
    } else {
      cut.dense.push_back({at, m.elements()});
      cut.dense_floats += m.elements();
    }
    at += m.elements();
  }
  return cut;
}

void times_rows(const float* matrix, const float* q, const LowRank& m, float* p) {
  for (Count row = 0; row < m.rows; ++row)
    for (Count r = 0; r < m.rank; ++r)
      p[r * m.rows + row] =
          encode_kernels().dot(matrix + row * m.columns, q + r * m.columns, m.columns);
}

void rows_times(const float* matrix, const float* p, const LowRank& m, float* q) {
  for (Count row = 0; row < m.rows; ++row)
    for (Count r = 0; r < m.rank; ++r)
      encode_kernels().add_scaled(q + r * m.columns, matrix + row * m.columns, m.columns,
                                  p[r * m.rows + row]);
}

void add_product(const float* p, const float* q, const LowRank& m, float weight, float* into) {
  for (Count row = 0; row < m.rows; ++row)
    for (Count r = 0; r < m.rank; ++r)
      encode_kernels().add_scaled(into + row * m.columns, q + r * m.columns, m.columns,
                                  weight * p[r * m.rows + row]);
}

void orthonormalize(float* p, Count rows, Count rank) {
  constexpr double kNothing = 1e-6;  // about the rounding of the projections
  const EncodeKernels& k = encode_kernels();
  for (Count c = 0; c < rank; ++c) {
    float* const column = p + c * rows;
    const double before = std::sqrt(k.sum_of_squares(column, rows));
    if (!std::isfinite(before)) {
      std::fill_n(column, rows, std::numeric_limits<float>::quiet_NaN());
      continue;
    }
    for (Count other = 0; other < c; ++other) {
      const float* const done = p + other * rows;
      k.add_scaled(column, done, rows, -k.dot(column, done, rows));
    }
    const double norm = std::sqrt(k.sum_of_squares(column, rows));
    if (norm <= kNothing * before) {
      std::fill_n(column, rows, 0.0f);
      continue;
    }
    for (Count i = 0; i < rows; ++i)
      column[i] = static_cast<float>(static_cast<double>(column[i]) / norm);
  }
}

void renew_lost_rows(float* q, const LowRank& m, const EncodeContext& context) {
  EncodeContext shared = context;
  shared.rank = 0;
  const Random random = random_of(shared);
  for (Count r = 0; r < m.rank; ++r) {
    float* const column = q + r * m.columns;
    const double square = encode_kernels().sum_of_squares(column, m.columns);
    if (square > 0 && std::isfinite(square)) continue;
    for (Count i = 0; i < m.columns; ++i) {
      const std::uint32_t word = random_word(m.q + r * m.columns + i, random);
      column[i] = static_cast<float>(word >> 8) * 0x1p-23f - 1;
    }
  }
}

}  // namespace arlab::training
