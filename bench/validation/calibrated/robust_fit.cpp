#include "bench/validation/calibrated/robust_fit.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "algorithms/base/error.hpp"
#include "bench/validation/calibrated/cholesky.hpp"

namespace arlab::simulator {
namespace {

using Vector = std::vector<double>;

constexpr double kUsualError = 0.08;  // of a row, as a logarithm
constexpr double kLimit = 0.15;       // beyond it an error counts linearly
constexpr double kStep = 1e-4;        // of the numerical derivative
constexpr int kIterations = 60;

class Problem {
 public:
  Problem(std::span<const Prior> priors, const PredictRows& predict,
          std::span<const double> measured)
      : priors_(priors), predict_(predict), measured_(measured) {}

  std::size_t parameters() const { return priors_.size(); }
  std::size_t rows() const { return measured_.size(); }

  // Logarithms of predicted by measured, in units of the usual error.
  Vector errors(const Vector& logs) const {
    const std::vector<double> predicted = predict_(exponentials(logs));
    Vector e(rows());
    for (std::size_t i = 0; i < rows(); ++i) {
      expects(predicted[i] > 0, "a calibrated model predicts a time that is not positive");
      e[i] = std::log(predicted[i] / measured_[i]) / kUsualError;
    }
    return e;
  }

  double from_prior(const Vector& logs, std::size_t i) const {
    return (logs[i] - std::log(priors_[i].median)) / priors_[i].spread;
  }
  double spread(std::size_t i) const { return priors_[i].spread; }

  double cost(const Vector& logs, const Vector& errors_there) const {
    constexpr double kAt = kLimit / kUsualError;
    double sum = 0;
    for (const double e : errors_there)
      sum += std::abs(e) < kAt ? e * e : 2 * kAt * std::abs(e) - kAt * kAt;
    for (std::size_t i = 0; i < parameters(); ++i) sum += std::pow(from_prior(logs, i), 2);
    return sum;
  }

  static std::vector<double> exponentials(const Vector& logs) {
    std::vector<double> values(logs.size());
    std::transform(logs.begin(), logs.end(), values.begin(), [](double x) { return std::exp(x); });
    return values;
  }

 private:
  std::span<const Prior> priors_;
  const PredictRows& predict_;
  std::span<const double> measured_;
};

// The quadratic approximation of the cost: its gradient and its curvature.
struct Approximation {
  Vector gradient;
  SquareMatrix curvature;
};

Approximation approximate(const Problem& problem, const Vector& at, const Vector& errors) {
  const std::size_t n = problem.parameters();
  std::vector<Vector> slopes;  // by parameter
  for (std::size_t j = 0; j < n; ++j) {
    Vector beside = at;
    beside[j] += kStep;
    const Vector there = problem.errors(beside);
    slopes.emplace_back();
    for (std::size_t i = 0; i < problem.rows(); ++i)
      slopes.back().push_back((there[i] - errors[i]) / kStep);
  }
  Approximation a{Vector(n, 0.0), SquareMatrix(n)};
  for (std::size_t i = 0; i < problem.rows(); ++i) {
    const double weight = std::min(1.0, kLimit / kUsualError / std::max(std::abs(errors[i]), 1e-9));
    for (std::size_t j = 0; j < n; ++j) {
      a.gradient[j] += weight * slopes[j][i] * errors[i];
      for (std::size_t k = 0; k <= j; ++k)
        a.curvature.at(j, k) += weight * slopes[j][i] * slopes[k][i];
    }
  }
  for (std::size_t j = 0; j < n; ++j) {
    a.gradient[j] += problem.from_prior(at, j) / problem.spread(j);
    a.curvature.at(j, j) += 1 / std::pow(problem.spread(j), 2);
    for (std::size_t k = 0; k < j; ++k) a.curvature.at(k, j) = a.curvature.at(j, k);
  }
  return a;
}

Vector moved(const Vector& from, const Approximation& a, double damping) {
  constexpr double kLongest = 1.5;
  SquareMatrix curvature = a.curvature;
  for (std::size_t j = 0; j < curvature.size; ++j) curvature.at(j, j) *= 1 + damping;
  const Vector step = solve_positive_definite(std::move(curvature), a.gradient);
  Vector to = from;
  for (std::size_t j = 0; j < to.size(); ++j) to[j] -= std::clamp(step[j], -kLongest, kLongest);
  return to;
}

}  // namespace

Prior many_ranks_prior(std::string name) {
  return {std::move(name), std::exp2(0.05), 0.05 * std::log(2.0)};
}

RobustFit robust_fit(std::span<const Prior> priors, const PredictRows& predict,
                     std::span<const double> measured, std::span<const double> start) {
  expects(start.empty() || start.size() == priors.size(), "a start with other parameters");
  const Problem problem(priors, predict, measured);
  Vector at(priors.size());
  for (std::size_t i = 0; i < priors.size(); ++i)
    at[i] = std::log(start.empty() ? priors[i].median : start[i]);
  Vector errors = problem.errors(at);
  double cost = problem.cost(at, errors), damping = 1e-2;
  for (int i = 0; i < kIterations; ++i) {
    const Approximation local = approximate(problem, at, errors);
    bool better = false;
    double gain = 0;
    for (int attempt = 0; attempt < 8 && !better; ++attempt) {
      const Vector next = moved(at, local, damping);
      const Vector there = problem.errors(next);
      const double cost_there = problem.cost(next, there);
      better = cost_there < cost;
      if (!better) {
        damping *= 4;
        continue;
      }
      gain = cost - cost_there;
      at = next;
      errors = there;
      cost = cost_there;
    }
    damping = std::max(damping / 4, 1e-6);
    if (!better || gain < 1e-6 * cost) break;
  }
  return {Problem::exponentials(at), cost, inverse(approximate(problem, at, errors).curvature)};
}

std::vector<double> parameter_spreads(const RobustFit& fit, const PredictRows& predict) {
  const std::size_t n = fit.parameters.size();
  const std::vector<double> here = predict(fit.parameters);
  std::vector<Vector> slopes;  // by parameter
  for (std::size_t j = 0; j < n; ++j) {
    Vector beside = fit.parameters;
    beside[j] *= std::exp(kStep);
    const std::vector<double> there = predict(beside);
    slopes.emplace_back();
    for (std::size_t i = 0; i < here.size(); ++i)
      slopes.back().push_back(std::log(there[i] / here[i]) / kStep);
  }
  std::vector<double> spreads;
  for (std::size_t i = 0; i < here.size(); ++i) {
    double variance = 0;
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t k = 0; k < n; ++k)
        variance += slopes[j][i] * fit.covariance.at(j, k) * slopes[k][i];
    spreads.push_back(std::sqrt(std::max(0.0, variance)));
  }
  return spreads;
}

}  // namespace arlab::simulator
