#include "simulator/bounds/linear_program.hpp"

#include <algorithm>
#include <cstddef>

#include "algorithms/base/error.hpp"
#include "algorithms/base/random.hpp"

namespace arlab::simulator {
namespace {

constexpr double kZero = 1e-11, kRaise = 1e-9;

// Row i: the basic variable of i in terms of the others. The last row: the objective. The last two
// columns: the raised limits and the limits.
class Tableau {
 public:
  explicit Tableau(const LinearProgram& program)
      : variables_(program.objective.size()), rows_(program.rows.size()) {
    double largest = 0;
    for (const auto& row : program.rows) largest = std::max(largest, row.limit);
    for (std::size_t i = 0; i < rows_; ++i) {
      std::vector<double> row = program.rows[i].coefficients;
      row.resize(columns() + 2);
      row[variables_ + i] = 1;
      const double raise = static_cast<double>(mixed(i) >> 11) * 0x1p-53;  // 0 to 1
      row[columns()] = program.rows[i].limit + kRaise * largest * (0.5 + raise);
      row.back() = program.rows[i].limit;
      cells_.push_back(std::move(row));
      basic_.push_back(variables_ + i);
    }
    cells_.push_back(program.objective);
    cells_.back().resize(columns() + 2);
  }

  std::optional<LinearSolution> solve(double most_work) {
    for (;;) {
      const auto& gains = cells_.back();
      const auto column = static_cast<std::size_t>(
          std::max_element(gains.begin(), gains.end() - 2) - gains.begin());
      if (gains[column] <= kZero) break;
      if (work_ > most_work) return std::nullopt;
      pivot(tightest_row(column), column);
    }
    LinearSolution solution{std::vector<double>(variables_), work_};
    for (std::size_t i = 0; i < rows_; ++i)
      if (basic_[i] < variables_) solution.x[basic_[i]] = std::max(0.0, cells_[i].back());
    return solution;
  }

 private:
  std::size_t columns() const { return variables_ + rows_; }

  std::size_t tightest_row(std::size_t column) const {
    std::size_t tightest = rows_;
    double least = 0;
    for (std::size_t i = 0; i < rows_; ++i) {
      if (cells_[i][column] <= kZero) continue;
      const double limit = cells_[i][columns()] / cells_[i][column];
      if (tightest == rows_ || limit < least) {
        tightest = i;
        least = limit;
      }
    }
    expects(tightest < rows_, "the maximum of a linear program is finite");
    return tightest;
  }

  void pivot(std::size_t row, std::size_t column) {
    auto& by = cells_[row];
    const double scale = by[column];
    for (double& cell : by) cell /= scale;
    for (std::size_t i = 0; i <= rows_; ++i) {
      const double factor = cells_[i][column];
      if (i == row || factor == 0) continue;
      for (std::size_t j = 0; j < by.size(); ++j) cells_[i][j] -= factor * by[j];
      work_ += static_cast<double>(by.size());
      cells_[i][column] = 0;
    }
    basic_[row] = column;
  }

  std::size_t variables_, rows_;
  std::vector<std::vector<double>> cells_;
  std::vector<std::size_t> basic_;  // variable of each row
  double work_ = 0;
};

}  // namespace

std::optional<LinearSolution> solve(const LinearProgram& program, double most_work) {
  return Tableau(program).solve(most_work);
}

}  // namespace arlab::simulator
