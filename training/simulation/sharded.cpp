#include "training/simulation/sharded.hpp"

#include <algorithm>

#include "algorithms/groups.hpp"

namespace arlab::training {
namespace {

constexpr std::size_t kInProgress =
    2;  // units that zero2 exchanges while the backward pass continues

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
        shards_(plan.sharding == Shards::hsdp ? Carrier::within_groups : Carrier::algorithm) {}

  /// Start collectives at `now` or when the links are free. Return the end.
  Time gather(const ShardedUnit& unit, Time now) {
    return start(Collective::all_gather, unit, now, shards_);
  }
  Time reduce(const ShardedUnit& unit, Time now) {
    const Time end = start(Collective::reduce_scatter, unit, now, shards_);
    if (plan_.sharding != Shards::hsdp) return end;
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
  using Carrier = CollectiveTimes::Carrier;

  Time start(Collective collective, const ShardedUnit& unit, Time now, Carrier carrier) {
    if (unit.elements == 0 || plan_.ranks == 1) return std::max(free_, now);
    const Transmission t{Time{}, collective, unit.elements, kGradientBytes};
    const Time took = times_.of({t}, carrier);
    sent_ += times_.sent({t}, carrier);
    busy_ += took;
    startup_ += times_.of(collective, 1, kGradientBytes, carrier);
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

// Gathers weights unit by unit before the forward pass, once all gradients are scattered. `ahead`: of as many
// units gradients may be in progress; the backward pass waits for the others.
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

std::optional<Shards> find_sharded_strategy(std::string_view name) {
  if (name == "zero1") return Shards::zero1;
  if (name == "zero2") return Shards::zero2;
  if (name == "fsdp") return Shards::fsdp;
  if (name == "hsdp") return Shards::hsdp;
  return std::nullopt;
}

Rank ranks_per_copy(const TrainingPlan& plan) {
  return plan.sharding == Shards::hsdp && plan.groups ? plan.groups->even_size() : plan.ranks;
}

double sharded_bytes(Shards sharding, double n, Rank ranks, Rank group) {
  const auto part = [](Rank p) { return static_cast<double>(p - 1) / p; };
  if (sharding == Shards::hsdp) return 3 * n * part(group) + 2 * n / group * part(ranks / group);
  return (sharding == Shards::fsdp ? 3 : 2) * n * part(ranks);
}

double sharded_memory(Shards sharding, double parameters, Rank ranks) {
  constexpr double kWeight = 2, kGradient = 2, kState = 12;
  const double all = kWeight + kGradient + kState;
  const double whole = sharding == Shards::none    ? all
                       : sharding == Shards::zero1 ? kWeight + kGradient
                       : sharding == Shards::zero2 ? kWeight
                                                   : 0;
  return parameters * (whole + (all - whole) / ranks);
}

SimulatedSteps simulate_sharded(const TrainingPlan& plan, const Profile& layers,
                                CollectiveTimes& times) {
  const std::vector<ShardedUnit> units = units_of(layers, plan.unit);
  Links links(plan, times);
  const bool gathers = plan.sharding == Shards::fsdp || plan.sharding == Shards::hsdp;
  const std::size_t ahead = plan.sharding == Shards::zero2 ? kInProgress : units.size();
  SimulatedSteps result;
  Time now{};
  for (int step = 0; step < plan.steps; ++step) {
    result.begins.push_back(now);
    now = gathers ? gathered_step(units, links, now) : updated_step(units, links, ahead, now);
  }
  result.begins.push_back(now);
  links.report(result, plan.steps);
  Time computation{};
  for (const Layer& layer : layers) computation += layer.forward + layer.backward;
  result.exposed = result.period() - picoseconds(computation);
  return result;
}

}  // namespace arlab::training
