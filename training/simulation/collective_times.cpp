#include "training/simulation/collective_times.hpp"

#include <algorithm>
#include <string>

#include "algorithms/base/error.hpp"
#include "simulator/engine/simulate.hpp"

namespace arlab::training {

Time CollectiveTimes::of(Collective collective, Count elements, Bytes element_size, bool by_tree) {
  if (plan_.ranks == 1 || elements == 0) return Time{};
  const auto [known, is_new] = known_.try_emplace(Key{collective, elements, element_size, by_tree});
  if (!is_new) return known->second;
  const Algorithm& algorithm = by_tree ? find_algorithm("tree") : *plan_.algorithm;
  const Problem problem = plan_.problem(collective, elements);
  const int segments = by_tree ? 1 : plan_.segments;
  const Cost cost = predicted_cost(algorithm, problem, segments);
  const Count messages = std::max(cost.messages, cost.rounds * plan_.ranks);  // rounds may be empty
  if (messages > kMostMessages)
    fail(Blame::usage, "algorithm " + std::string(algorithm.name) + " sends " +
                           std::to_string(messages) + " messages and rounds in one collective of " +
                           std::to_string(plan_.ranks) + " ranks, more than the " +
                           std::to_string(kMostMessages) +
                           " that are simulated: use rabenseifner, or fewer ranks");
  const auto network = network_();
  return known->second =
             simulator::simulate(algorithm, problem, element_size, *network, {.segments = segments})
                 .finish;
}

Time CollectiveTimes::of(const std::vector<Transmission>& parts, bool by_tree) {
  Time all{};
  for (const Transmission& t : parts) all += of(t.collective, t.elements, t.element_size, by_tree);
  return all;
}

double CollectiveTimes::sent(const std::vector<Transmission>& parts) const {
  double bytes = 0;
  if (plan_.ranks > 1)
    for (const Transmission& t : parts)
      bytes += static_cast<double>(predicted_cost(*plan_.algorithm,
                                                  plan_.problem(t.collective, t.elements),
                                                  plan_.segments)
                                       .elements *
                                   t.element_size) /
               plan_.ranks;
  return bytes;
}

LinkCost CollectiveTimes::link() {
  constexpr Count kSmall = 1, kLarge = 1 << 16;
  if (plan_.ranks == 1) return {};
  const Time small = of(Collective::allreduce, kSmall, kGradientBytes),
             large = of(Collective::allreduce, kLarge, kGradientBytes);
  return {small, std::max(0.0, picoseconds(large - small)) / ((kLarge - kSmall) * kGradientBytes),
          Time{}};
}

}  // namespace arlab::training
