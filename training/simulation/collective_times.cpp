#include "training/simulation/collective_times.hpp"

#include <algorithm>
#include <string>

#include "algorithms/base/error.hpp"
#include "algorithms/levels/group_levels.hpp"
#include "simulator/engine/simulate.hpp"

namespace arlab::training {

const Algorithm& CollectiveTimes::carried_by(Carrier carrier) {
  if (carrier != Carrier::within_groups && carrier != Carrier::across_groups)
    return algorithm_of(plan_, carrier);
  const auto [level, is_new] = levels_.try_emplace(carrier);
  if (is_new)
    level->second = carrier == Carrier::within_groups ? within_groups(*plan_.algorithm)
                                                      : across_groups(*plan_.algorithm);
  return level->second;
}

Time CollectiveTimes::of(Collective collective, Count elements, Bytes element_size,
                         Carrier carrier) {
  if (plan_.ranks == 1 || elements == 0) return Time{};
  elements = plan_.carried(elements);
  const bool to_owners = carrier == Carrier::to_owners;
  // Chunks of one size, so that one rank can stand for all.
  if (to_owners) elements = (elements + plan_.ranks - 1) / plan_.ranks * plan_.ranks;
  const auto [known, is_new] = known_.try_emplace(Key{collective, elements, element_size, carrier});
  if (!is_new) return known->second;
  const Algorithm& algorithm = carried_by(carrier);
  const Problem problem = plan_.problem(collective, elements);
  const int segments = plan_.segments_of(carrier);
  const auto network = network_();
  const Cost cost = predicted_cost(algorithm, problem, segments);
  const bool by_one = to_owners && network->uniform();
  const Count messages =
      by_one ? cost.rounds
             : std::max(cost.messages, cost.rounds * plan_.ranks);  // rounds may be empty
  if (messages > kMostMessages)
    fail(Blame::usage,
         (to_owners ? "an exchange of codes that are encoded again"
                    : "algorithm " + std::string(algorithm.name)) +
             " sends " + std::to_string(messages) + " messages and rounds in one collective of " +
             std::to_string(plan_.ranks) + " ranks, more than the " +
             std::to_string(kMostMessages) + " that are simulated: use " +
             (to_owners ? "another compressor" : "rabenseifner") + ", or fewer ranks");
  return known->second =
             simulator::simulate(algorithm, problem, element_size, *network, {.segments = segments})
                 .finish;
}

Time CollectiveTimes::of(const std::vector<Transmission>& parts) {
  Time all{};
  for (const Transmission& t : parts)
    all += of(t.collective, t.elements, t.element_size, t.carrier);
  return all;
}

Time CollectiveTimes::startup(Collective collective, Carrier carrier) {
  const Count least = carrier == Carrier::to_owners ? plan_.ranks : 1;  // else rounds are empty
  return of(collective, least, kGradientBytes, carrier);
}

double CollectiveTimes::sent(const std::vector<Transmission>& parts) {
  double bytes = 0;
  if (plan_.ranks > 1)
    for (const Transmission& t : parts)
      bytes += static_cast<double>(predicted_cost(carried_by(t.carrier),
                                                  plan_.problem(t.collective, t.elements),
                                                  plan_.segments_of(t.carrier))
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
