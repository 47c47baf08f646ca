#include "bench/hunt/search/ranks.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace arlab::hunt {
namespace {

constexpr double kLeastZ = 3.5;  // Iglewicz and Hoaglin, How to detect and handle outliers, 1993

// The values of the ranks that have one, as multiples of their median, with z.
struct Compared {
  std::vector<double> times, z;
  double middle = 1;
};

Compared compared(const std::vector<double>& values) {
  constexpr double kOfNormal = 0.6745, kLeastDeviation = 0.005;  // of the median
  Compared all{std::vector<double>(values.size(), 1), std::vector<double>(values.size(), 0)};
  std::vector<double> known;
  for (const double v : values)
    if (v > 0) known.push_back(v);
  if (known.empty()) return all;
  const double middle = all.middle = median(known);
  for (double& v : known) v = std::abs(v - middle);
  const double deviation = std::max(median(known), kLeastDeviation * middle);
  for (std::size_t r = 0; r < values.size(); ++r)
    if (values[r] > 0) {
      all.times[r] = values[r] / middle;
      all.z[r] = kOfNormal * (values[r] - middle) / deviation;
    }
  return all;
}

std::vector<RankScore> scores(std::span<const Compared> passes, Quantity quantity) {
  std::vector<RankScore> all(passes.front().times.size());
  for (std::size_t r = 0; r < all.size(); ++r) {
    std::vector<double> times;
    all[r].z = passes.front().z[r];
    all[r].is_suspect = true;
    for (const Compared& pass : passes) {
      times.push_back(pass.times[r]);
      all[r].z = std::min(all[r].z, pass.z[r]);
      all[r].is_suspect &= pass.times[r] > least_factor(quantity) && pass.z[r] > kLeastZ;
    }
    all[r].times = median(std::move(times));
  }
  return all;
}

}  // namespace

double least_factor(Quantity quantity) {
  switch (quantity) {
    case Quantity::copy:
    case Quantity::addition:
      return 1.1;
    case Quantity::latency:
      return 1.25;
    case Quantity::bandwidth:
    case Quantity::loss:
      break;
  }
  return 1.05;
}

std::vector<RankScore> scores_of(std::span<const DirectedTime> relative, Rank ranks,
                                 Quantity quantity, Side side) {
  constexpr double kMostPartners = 0.75;
  const auto mine = [&](const DirectedTime& t) { return side == Side::sends ? t.from : t.to; };
  std::array<Compared, kPasses> passes;
  std::vector<std::vector<double>> with(index(ranks));
  for (std::size_t k = 0; k < kPasses; ++k) {
    for (auto& one : with) one.clear();
    for (const DirectedTime& t : relative) with[index(mine(t))].push_back(t.times[k]);
    std::vector<double> medians(index(ranks), 0);
    for (std::size_t r = 0; r < medians.size(); ++r)
      if (!with[r].empty()) medians[r] = median(with[r]);
    passes[k] = compared(medians);
  }
  std::vector<RankScore> all = scores(passes, quantity);
  std::vector<Count> slow(index(ranks)), partners(index(ranks));
  for (const DirectedTime& t : relative) {
    const std::size_t r = index(mine(t));
    ++partners[r];
    Passes times = t.times;
    for (std::size_t k = 0; k < kPasses; ++k) times[k] /= passes[k].middle;
    slow[r] += median({times.begin(), times.end()}) > all[r].halfway() ? 1 : 0;
  }
  for (std::size_t r = 0; r < all.size(); ++r)
    all[r].is_suspect &=
        static_cast<double>(slow[r]) >= kMostPartners * static_cast<double>(partners[r]);
  return all;
}

bool is_more_than_chance(Count late, Count all, Rank ranks) {
  constexpr Count kFewest = 5;
  constexpr double kMostChance = 0.001;  // of any of the ranks
  const double share = static_cast<double>(late) / static_cast<double>(std::max<Count>(all, 1)),
               usual = 2.0 / static_cast<double>(ranks);
  if (late < kFewest || share <= usual) return false;
  // Chernoff, Ann. Math. Stat. 23, 1952: an upper bound of the binomial tail.
  const double others = share < 1 ? (1 - share) * std::log((1 - share) / (1 - usual)) : 0;
  const double exponent = share * std::log(share / usual) + others;
  return std::exp(-static_cast<double>(all) * exponent) * static_cast<double>(ranks) < kMostChance;
}

std::vector<RankScore> scores_alone(std::span<const std::vector<double>> times, Quantity quantity) {
  std::vector<Compared> passes;
  for (const std::vector<double>& pass : times) passes.push_back(compared(pass));
  return scores(passes, quantity);
}

}  // namespace arlab::hunt
