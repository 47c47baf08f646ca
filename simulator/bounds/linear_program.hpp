// LinearProgram: maximizes a linear function under constraints that 0 satisfies. For small
// programs.
#pragma once

#include <optional>
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

struct LinearSolution {
  std::vector<double> x;
  double work = 0;  ///< numbers of the tableau that were computed
};

/// Returns an optimal corner, up to rounding; nothing if that takes more work than given. Dantzig's
/// simplex method on a dense tableau; the limits are raised by up to 1e-9 of the largest, each by
/// another amount, so that it cannot cycle, and the x is that of the limits as given. Throws if the
/// maximum is infinite.
std::optional<LinearSolution> solve(const LinearProgram& program, double most_work);

}  // namespace arlab::simulator
