#include "bench/calibrate/spread.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "algorithms/base/error.hpp"
#include "algorithms/base/random.hpp"
#include "bench/validation/fit/intervals.hpp"

namespace arlab::bench {
namespace {

// Of the standard normal distribution (Box and Muller 1958).
double normal_draw(const Random& random, std::uint64_t number) {
  const auto uniform = [&](std::uint64_t n) {
    return (static_cast<double>(random(n) >> 11) + 0.5) * 0x1p-53;
  };
  return std::sqrt(-2 * std::log(uniform(2 * number))) *
         std::cos(2 * std::numbers::pi * uniform(2 * number + 1));
}

double log_error_of(const FitRow& row) { return std::log(row.model_us / row.measured_us); }

// What the model lacks, by the rows that it does not repeat: fitted, and in each refit.
double lack_of(const std::vector<FitRow>& fitted, const std::vector<std::vector<FitRow>>& refits) {
  constexpr double kRounded = 1e-4;  // an error below it is that of rounded times
  std::vector<double> errors, noises;
  double squares = 0;
  for (std::size_t i = 0; i < fitted.size(); ++i) {
    const auto n = static_cast<double>(refits.size());
    double mean = 0, variance = 0;
    for (const auto& rows : refits) mean += log_error_of(rows[i]) / n;
    for (const auto& rows : refits)
      variance += std::pow(log_error_of(rows[i]) - mean, 2) / std::max(1.0, n - 1);
    const double error = log_error_of(fitted[i]), noise = std::sqrt(variance);
    if (std::abs(error) < kRounded && noise < kRounded) continue;
    errors.push_back(error);
    noises.push_back(noise);
    squares += std::pow(error / std::max(noise, kRounded), 2);
  }
  // Noise alone gives less in 98% of cases (chi-squared, as a normal distribution).
  const auto rows = static_cast<double>(errors.size());
  if (squares <= rows + 2 * std::sqrt(2 * rows)) return 0;
  return residual_spread(errors, noises);
}

}  // namespace

ProbeTimes with_other_errors(ProbeTimes times, const Random& random) {
  visit_times(times, [&](double& us, double error, std::uint64_t number) {
    us *= std::exp(error * normal_draw(random, number));
  });
  return times;
}

MachineSpread spread_of_fit(const Fit& fitted, const ProbeTimes& times, bool several_hosts,
                            int refits, std::uint64_t seed) {
  MachineSpread spread;
  std::vector<std::vector<FitRow>> rows;
  int tries = 0;
  while (std::ssize(spread.refits) < refits) {
    const ProbeTimes others =
        with_other_errors(times, Random(seed).of(static_cast<std::uint64_t>(tries)));
    try {
      Fit again = fit(others, several_hosts, &fitted.machine);
      spread.refits.push_back(std::move(again.machine));
      rows.push_back(std::move(again.rows));
    } catch (const Error&) {  // times that no network has: a few of them are chance
      if (tries > 2 * refits) throw;
    }
    ++tries;
  }
  spread.lack = lack_of(fitted.rows, rows);
  spread.between_jobs = several_hosts ? kBetweenJobs : 0;
  spread.least_bytes = times.one_way.front().bytes;
  spread.most_bytes = times.one_way.back().bytes;
  spread.ranks = times.ranks;
  return spread;
}

}  // namespace arlab::bench
