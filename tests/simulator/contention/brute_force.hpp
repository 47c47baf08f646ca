// Max-min fair rates by the definition: raise the rates of all flows that are not stuck until the
// first link is full, and repeat until all flows are stuck.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace arlab::simulator {

using Routes = std::vector<std::vector<std::int32_t>>;

inline std::vector<double> brute_force_rates(const std::vector<double>& capacity,
                                             const Routes& routes, double cap = 0) {
  std::vector<double> rate(routes.size());
  std::vector<bool> stuck(routes.size());
  const auto crossings = [&](std::size_t f, std::size_t l) {
    return static_cast<double>(
        std::count(routes[f].begin(), routes[f].end(), static_cast<std::int32_t>(l)));
  };
  while (std::find(stuck.begin(), stuck.end(), false) != stuck.end()) {
    double step = std::numeric_limits<double>::infinity();
    std::vector<double> room(capacity.size(), step);  // for each flow of the link that is not stuck
    for (std::size_t l = 0; l < capacity.size(); ++l) {
      double left = capacity[l], rising = 0;
      for (std::size_t f = 0; f < routes.size(); ++f) {
        left -= rate[f] * crossings(f, l);
        if (!stuck[f]) rising += crossings(f, l);
      }
      if (rising > 0) step = std::min(step, room[l] = left / rising);
    }
    for (std::size_t f = 0; f < routes.size(); ++f)
      if (!stuck[f] && cap > 0) step = std::min(step, cap - rate[f]);
    for (std::size_t f = 0; f < routes.size(); ++f)
      if (!stuck[f]) rate[f] += step;
    for (std::size_t f = 0; f < routes.size(); ++f) {
      constexpr double kRounding = 1e-12;
      if (cap > 0 && rate[f] >= cap * (1 - kRounding)) stuck[f] = true;
      for (const std::int32_t l : routes[f])
        if (room[static_cast<std::size_t>(l)] <=
            step + kRounding * capacity[static_cast<std::size_t>(l)])
          stuck[f] = true;
    }
  }
  return rate;
}

// Random numbers below a bound, equal on every machine.
class Draw {
 public:
  explicit Draw(std::uint32_t seed) : random_(seed) {}
  std::uint32_t operator()(std::uint32_t below) {
    return static_cast<std::uint32_t>(random_()) % below;
  }
  std::vector<std::int32_t> route(std::uint32_t links, std::uint32_t one_in) {
    std::vector<std::int32_t> route;
    for (std::uint32_t l = 0; l < links; ++l)
      if ((*this)(one_in) == 0) route.push_back(static_cast<std::int32_t>(l));
    if (route.empty()) route.push_back(static_cast<std::int32_t>((*this)(links)));
    return route;
  }

 private:
  std::mt19937 random_;
};

}  // namespace arlab::simulator
