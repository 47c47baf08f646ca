#include "training/simulation/collective_times.hpp"

#include <algorithm>
#include <string>

#include "algorithms/base/error.hpp"
#include "algorithms/levels/group_levels.hpp"
#include "simulator/engine/simulate.hpp"

namespace arlab::training {

const Algorithm& CollectiveTimes::algorithm_of(Carrier carrier) {
  if (carrier == Carrier::algorithm) return *plan_.algorithm;
  if (carrier == Carrier::tree) return find_algorithm("tree");
  const auto [level, is_new] = levels_.try_emplace(carrier);
  if (is_new)
    level->second = carrier == Carrier::within_groups ? within_groups(*plan_.algorithm)
                                                      : across_groups(*plan_.algorithm);
  return level->second;
}

Time CollectiveTimes::of(Collective collective, Count elements, Bytes element_size,
                         Carrier carrier) {
  if (plan_.ranks == 1 || elements == 0) return Time{};
  const auto [known, is_new] = known_.try_emplace(Key{collective, elements, element_size, carrier});
  if (!is_new) return known->second;
  const Algorithm& algorithm = algorithm_of(carrier);
  const Problem problem = plan_.problem(collective, elements);
  const int segments = segments_of(carrier);
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

Time CollectiveTimes::of(const std::vector<Transmission>& parts, Carrier carrier) {
  Time all{};
  for (const Transmission& t : parts) all += of(t.collective, t.elements, t.element_size, carrier);
  return all;
}

double CollectiveTimes::sent(const std::vector<Transmission>& parts, Carrier carrier) {
  double bytes = 0;
  if (plan_.ranks > 1)
    for (const Transmission& t : parts)
      bytes += static_cast<double>(predicted_cost(algorithm_of(carrier),
                                                  plan_.problem(t.collective, t.elements),
                                                  segments_of(carrier))
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
