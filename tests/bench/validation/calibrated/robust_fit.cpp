#include "bench/validation/calibrated/robust_fit.hpp"

#include <cmath>

#include "algorithms/base/error.hpp"
#include "bench/validation/calibrated/cholesky.hpp"
#include "bench/validation/calibrated/curve.hpp"
#include "tests/support/catch.hpp"

using namespace arlab;
using namespace arlab::simulator;

namespace {

const std::vector<double> kSizes{1, 10, 100, 1e3, 1e4, 1e5, 1e6};

std::vector<double> line(std::span<const double> p) {
  std::vector<double> us;
  for (const double size : kSizes) us.push_back(p[0] + p[1] * size);
  return us;
}

}  // namespace

TEST_CASE("a symmetric system is solved, and one that is not positive definite is refused") {
  SquareMatrix hilbert(3);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) hilbert.at(i, j) = 1.0 / static_cast<double>(i + j + 1);
  const std::vector<double> x = solve_positive_definite(hilbert, {1, 0, 0});
  CHECK(x[0] == Approx(9));  // the first column of the inverse
  CHECK(x[1] == Approx(-36));
  CHECK(x[2] == Approx(30));
  hilbert.at(2, 2) = 0;
  CHECK_THROWS_AS(solve_positive_definite(hilbert, {1, 0, 0}), Error);
}

TEST_CASE("a fit finds the parameters that made the times, far from the prior") {
  const std::vector<double> truth{20, 0.003};
  const std::vector<Prior> priors{{"start", 1, 3}, {"per byte", 1, 5}};
  const RobustFit fit = robust_fit(priors, line, line(truth));
  CHECK(fit.parameters[0] == Approx(20).epsilon(0.01));
  CHECK(fit.parameters[1] == Approx(0.003).epsilon(0.01));
}

TEST_CASE("one odd measurement does not bend a fit") {
  const std::vector<double> truth{20, 0.003};
  std::vector<double> measured = line(truth);
  measured[3] *= 10;
  const std::vector<Prior> priors{{"start", 10, 3}, {"per byte", 0.01, 3}};
  const RobustFit fit = robust_fit(priors, line, measured);
  CHECK(fit.parameters[0] == Approx(20).epsilon(0.1));
  CHECK(fit.parameters[1] == Approx(0.003).epsilon(0.1));
}

TEST_CASE("a parameter that no row sees stays at the median of its prior") {
  const std::vector<Prior> priors{{"start", 1, 3}, {"per byte", 1, 5}, {"unseen", 7, 0.5}};
  const RobustFit fit = robust_fit(priors, line, line(std::vector<double>{20, 0.003}));
  CHECK(fit.parameters[2] == Approx(7));
}

TEST_CASE("a curve goes through its points and is constant beyond them") {
  const std::vector<double> knots{3, 6, 10}, growth{2, 8};
  const Curve curve(knots, 5, growth);
  CHECK(curve.at(0) == Approx(5));
  CHECK(curve.at(3) == Approx(5));
  CHECK(curve.at(4.5) == Approx(5 * std::sqrt(2.0)));
  CHECK(curve.at(6) == Approx(10));
  CHECK(curve.at(10) == Approx(80));
  CHECK(curve.at(40) == Approx(80));
}
