// Cholesky: solves small systems of linear equations whose matrix is symmetric and positive
// definite.
#pragma once

#include <vector>

namespace arlab::simulator {

/// Rows of a square matrix, one after the other.
struct SquareMatrix {
  explicit SquareMatrix(std::size_t n) : size(n), values(n * n, 0.0) {}
  double& at(std::size_t row, std::size_t column) { return values[row * size + column]; }
  double at(std::size_t row, std::size_t column) const { return values[row * size + column]; }
  std::size_t size;
  std::vector<double> values;
};

/// Returns x with matrix x = right. Throws Error(check) if the matrix is not positive definite.
std::vector<double> solve_positive_definite(SquareMatrix matrix, std::vector<double> right);

/// Returns the inverse. Throws Error(check) if the matrix is not positive definite.
SquareMatrix inverse(const SquareMatrix& matrix);

}  // namespace arlab::simulator
