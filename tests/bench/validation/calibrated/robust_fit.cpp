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

TEST_CASE("what no row determines stays as uncertain as its prior, what rows determine does not") {
  const std::vector<Prior> priors{{"start", 1, 3}, {"per byte", 1, 5}, {"unseen", 7, 0.5}};
  const RobustFit fit = robust_fit(priors, line, line(std::vector<double>{20, 0.003}));
  CHECK(std::sqrt(fit.covariance.at(2, 2)) == Approx(0.5));
  CHECK(std::sqrt(fit.covariance.at(0, 0)) < 0.2);
  const auto unseen = [](std::span<const double> p) { return std::vector<double>{p[0], p[2]}; };
  const std::vector<double> spreads = parameter_spreads(fit, unseen);
  CHECK(spreads[0] == Approx(std::sqrt(fit.covariance.at(0, 0))).epsilon(1e-3));
  CHECK(spreads[1] == Approx(0.5).epsilon(1e-3));
}

TEST_CASE("a fit from where another one ended stays there") {
  const std::vector<Prior> priors{{"start", 1, 3}, {"per byte", 1, 5}};
  const std::vector<double> measured = line(std::vector<double>{20, 0.003});
  const RobustFit first = robust_fit(priors, line, measured);
  const RobustFit again = robust_fit(priors, line, measured, first.parameters);
  CHECK(again.parameters[0] == Approx(first.parameters[0]).epsilon(1e-4));
  CHECK(again.parameters[1] == Approx(first.parameters[1]).epsilon(1e-4));
}

TEST_CASE("a matrix times its inverse is the unit matrix") {
  SquareMatrix hilbert(3);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) hilbert.at(i, j) = 1.0 / static_cast<double>(i + j + 1);
  const SquareMatrix other = inverse(hilbert);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < 3; ++k) sum += hilbert.at(i, k) * other.at(k, j);
      CHECK(sum == Approx(i == j ? 1 : 0).margin(1e-9));
    }
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
