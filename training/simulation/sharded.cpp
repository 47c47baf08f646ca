#include "training/simulation/sharded.hpp"

#include <algorithm>

#include "algorithms/groups.hpp"
#include "training/simulation/simulate_training.hpp"

namespace arlab::training {
namespace {

/// Layers that are gathered together.
struct ShardedUnit {
  Time forward{}, backward{};
  Count elements = 0;
};

std::vector<ShardedUnit> units_of(const Profile& layers, Bytes unit) {
  std::vector<ShardedUnit> units(1);
  for (const Layer& layer : layers) {
    if (units.back().elements * kGradientBytes >= unit) units.emplace_back();
    units.back().forward += layer.forward;
    units.back().backward += layer.backward;
    units.back().elements += layer.elements;
  }
  return units;
}

// The links, which carry one collective after another, and what they have carried.
class Links {
 public:
  Links(const TrainingPlan& plan, CollectiveTimes& times)
      : plan_(plan),
        times_(times),
        shards_(plan.strategy->grouped ? Carrier::within_groups : Carrier::algorithm) {}

  /// Start collectives at `now` or when the links are free. Return the end.
  Time gather(const ShardedUnit& unit, Time now) {
    return start(Collective::all_gather, unit, now, shards_);
  }
  Time reduce(const ShardedUnit& unit, Time now) {
    const Time end = start(Collective::reduce_scatter, unit, now, shards_);
    if (!plan_.strategy->grouped) return end;
    return start(Collective::allreduce, unit, now, Carrier::across_groups);
  }
  Time free() const { return free_; }

  void report(SimulatedSteps& steps, int number) const {
    steps.communication = picoseconds(busy_) / number;
    steps.startup = picoseconds(startup_) / number;
    steps.sent = sent_ / number;
    steps.collectives = static_cast<double>(number_) / number;
  }

 private:
  Time start(Collective collective, const ShardedUnit& unit, Time now, Carrier carrier) {
    if (unit.elements == 0 || plan_.ranks == 1) return std::max(free_, now);
    const Transmission t{{}, collective, unit.elements, kGradientBytes, carrier};
    const Time took = times_.of({t});
    sent_ += times_.sent({t});
    busy_ += took;
    startup_ += times_.startup(collective, carrier);
    ++number_;
    return free_ = std::max(free_, now) + took;
  }

  const TrainingPlan& plan_;
  CollectiveTimes& times_;
  const Carrier shards_;
  Time free_{}, busy_{}, startup_{};
  double sent_ = 0;
  Count number_ = 0;
};

// Gathers weights before both passes, one unit ahead. Returns the end of the step.
Time gathered_step(const std::vector<ShardedUnit>& units, Links& links, Time begin) {
  const std::size_t last = units.size() - 1;
  Time now = begin;
  Time there = links.gather(units[0], now);
  for (std::size_t u = 0; u <= last; ++u) {
    now = std::max(now, there);
    if (u < last) there = links.gather(units[u + 1], now);
    now += units[u].forward;
  }
  there = links.gather(units[last], now);
  for (std::size_t u = units.size(); u-- > 0;) {
    now = std::max(now, there);
    if (u > 0) there = links.gather(units[u - 1], now);
    now += units[u].backward;
    links.reduce(units[u], now);
  }
  return std::max(now, links.free());
}

// Gathers weights unit by unit before the forward pass, once all gradients are scattered. `ahead`:
// of as many units gradients may be in progress; the backward pass waits for the others.
Time updated_step(const std::vector<ShardedUnit>& units, Links& links, std::size_t ahead,
                  Time begin) {
  Time now = begin;
  std::vector<Time> there, reduced(units.size());
  for (const ShardedUnit& unit : units) there.push_back(links.gather(unit, begin));
  for (std::size_t u = 0; u < units.size(); ++u) now = std::max(now, there[u]) + units[u].forward;
  for (std::size_t u = units.size(); u-- > 0;) {
    now += units[u].backward;
    reduced[u] = links.reduce(units[u], now);
    if (u + ahead < units.size()) now = std::max(now, reduced[u + ahead]);
  }
  return std::max(now, links.free());
}

}  // namespace

Rank ranks_per_copy(const TrainingPlan& plan) {
  return plan.strategy->grouped && plan.groups ? plan.groups->even_size() : plan.ranks;
}

SimulatedSteps simulate_sharded(const TrainingPlan& plan, const MakeNetwork& network,
                                std::optional<std::size_t> most) {
  CollectiveTimes times(plan, network);
  const Profile layers = slowed(plan);
  const std::vector<ShardedUnit> units = units_of(layers, plan.unit);
  Links links(plan, times);
  const std::size_t ahead = most.value_or(units.size());
  SimulatedSteps result;
  Time now{};
  for (int step = 0; step < plan.steps; ++step) {
    result.begins.push_back(now);
    now = plan.strategy->gathers ? gathered_step(units, links, now)
                                 : updated_step(units, links, ahead, now);
  }
  result.begins.push_back(now);
  links.report(result, plan.steps);
  Time computation{};
  for (const Layer& layer : layers) computation += layer.forward + layer.backward;
  result.exposed = result.period() - picoseconds(computation);
  return result;
}

}  // namespace arlab::training
