// LinearProgram: maximizes a linear function under constraints that 0 satisfies. For small programs.
#pragma once

#include <vector>

namespace arlab::simulator {

/// Maximizes objective x over x >= 0 with (row) x <= limit for every row, where limit >= 0.
struct LinearProgram {
  struct Row {
    std::vector<double> coefficients;
    double limit = 0;
  };
  std::vector<double> objective;
  std::vector<Row> rows;
};

/// Returns an optimal x, up to rounding. Dantzig's simplex method on a dense tableau; the limits are
/// raised by up to 1e-9 of the largest, each by another amount, so that it cannot cycle. Throws if
/// the maximum is infinite.
std::vector<double> solve(const LinearProgram& program);

}  // namespace arlab::simulator
