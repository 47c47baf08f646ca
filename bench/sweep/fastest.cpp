#include "bench/sweep/fastest.hpp"

#include <algorithm>
#include <utility>

namespace arlab::bench {

Time busy_time(const simulator::UniformCosts& costs, const Cost& cost, Rank ranks, Bytes element) {
  const auto messages = static_cast<double>(cost.messages),
             bytes = static_cast<double>(cost.elements) * static_cast<double>(element);
  // Of the sender's port, or of both ends' processors. Durations are rounded to picoseconds.
  constexpr double kRounded = 2;
  const double all = costs.exclusive_ports
                         ? messages * (picoseconds(costs.L) - kRounded) + bytes * costs.G
                         : messages * (2 * picoseconds(costs.o) - kRounded) +
                               (bytes - messages) * (costs.O + std::max(costs.O, costs.G));
  constexpr double kExact = 1e-9;  // of sums of real numbers
  const double average = all / ranks * (1 - kExact) - 1;
  return average > 0 ? Time{static_cast<std::int64_t>(std::min(average, picoseconds(kLatest)))}
                     : Time{};
}

void Fastest::sort(std::vector<Config>& configs, const Effort& effort) {
  for (auto first = configs.begin(); first != configs.end();) {
    const auto last = std::find_if(first, configs.end(),
                                   [&](const Config& c) { return cell_of(c) != cell_of(*first); });
    std::vector<std::pair<double, Config>> cell;
    for (auto c = first; c != last; ++c) {
      const bool runs = unsupported(*c->algorithm, c->problem).empty();
      const double steps = runs ? effort(*c) : 0;
      cell.emplace_back(steps, std::move(*c));
    }
    std::stable_sort(cell.begin(), cell.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (auto& [steps, config] : cell) *first++ = std::move(config);
  }
}

Fastest::Cell Fastest::cell_of(const Config& config) {
  return {config.problem.ranks,
          config.problem.elements,
          static_cast<int>(config.operand.dtype),
          static_cast<int>(config.operand.op),
          config.problem.root,
          config.network};
}

Fastest::Best& Fastest::best(const Config& config) { return best_[cell_of(config)]; }

}  // namespace arlab::bench
