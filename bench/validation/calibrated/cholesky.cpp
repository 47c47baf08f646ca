#include "bench/validation/calibrated/cholesky.hpp"

#include <cmath>
#include <utility>

#include "algorithms/base/error.hpp"

namespace arlab::simulator {

namespace {

// The lower triangle becomes L with L L' = matrix.
void factor(SquareMatrix& m) {
  const std::size_t n = m.size;
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t i = j; i < n; ++i) {
      double sum = m.at(i, j);
      for (std::size_t k = 0; k < j; ++k) sum -= m.at(i, k) * m.at(j, k);
      if (i == j) expects(sum > 0, "a matrix that is not positive definite");
      m.at(i, j) = i == j ? std::sqrt(sum) : sum / m.at(j, j);
    }
}

std::vector<double> solve_factored(const SquareMatrix& m, std::vector<double> x) {
  const std::size_t n = m.size;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < i; ++k) x[i] -= m.at(i, k) * x[k];
    x[i] /= m.at(i, i);
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) x[i] -= m.at(k, i) * x[k];
    x[i] /= m.at(i, i);
  }
  return x;
}

}  // namespace

std::vector<double> solve_positive_definite(SquareMatrix m, std::vector<double> x) {
  factor(m);
  return solve_factored(m, std::move(x));
}

SquareMatrix inverse(const SquareMatrix& matrix) {
  SquareMatrix factored = matrix, result(matrix.size);
  factor(factored);
  for (std::size_t j = 0; j < matrix.size; ++j) {
    std::vector<double> unit(matrix.size, 0.0);
    unit[j] = 1;
    const std::vector<double> column = solve_factored(factored, std::move(unit));
    for (std::size_t i = 0; i < matrix.size; ++i) result.at(i, j) = column[i];
  }
  return result;
}

}  // namespace arlab::simulator
