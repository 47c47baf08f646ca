#include "algorithms/parts/rank_shares.hpp"

#include <algorithm>
#include <cmath>

#include "algorithms/base/error.hpp"

namespace arlab {
namespace {

constexpr double kWhole = 1 << 20;  // of the vector, in weights

// What a rank of this rate may own to be done in this time.
double owned(double rate, double time, double others) {
  return std::max(0.0, (rate * time - 1) / others);
}

}  // namespace

std::vector<Count> shares_for(std::span<const double> rates) {
  expects(!rates.empty(), "rates of no ranks");
  for (const double rate : rates) expects(std::isfinite(rate) && rate > 0, "rates are above 0");
  const auto ranks = static_cast<double>(rates.size());
  std::vector<Count> shares;
  if (rates.size() <= 2) {  // each has to send and receive the whole vector
    for (const double rate : rates)
      shares.push_back(std::max<Count>(1, std::llround(rate / rates[0] * kWhole)));
    return shares;
  }
  const auto sum = [&](double time) {
    double all = 0;
    for (const double rate : rates) all += owned(rate, time, ranks - 2);
    return all;
  };
  double low = 0, high = 2 / *std::min_element(rates.begin(), rates.end());  // enough for all
  for (int i = 0; i < 200; ++i) {
    const double middle = (low + high) / 2;
    (sum(middle) < 1 ? low : high) = middle;
  }
  for (const double rate : rates)
    shares.push_back(std::llround(owned(rate, high, ranks - 2) * kWhole));
  return shares;
}

}  // namespace arlab
