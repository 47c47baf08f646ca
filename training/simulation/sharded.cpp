#include "training/simulation/sharded.hpp"

#include <algorithm>

namespace arlab::training {
namespace {

constexpr Bytes kUnit = 25 << 20;  // of gradients, as a bucket

/// Layers that are gathered together.
struct ShardedUnit {
  Time forward{}, backward{};
  Count elements = 0;
};

std::vector<ShardedUnit> units_of(const Profile& layers) {
  std::vector<ShardedUnit> units(1);
  for (const Layer& layer : layers) {
    if (units.back().elements * kGradientBytes >= kUnit) units.emplace_back();
    units.back().forward += layer.forward;
    units.back().backward += layer.backward;
    units.back().elements += layer.elements;
  }
  return units;
}

// The links, which carry one collective after another, and what they have carried.
class Links {
 public:
  Links(const TrainingPlan& plan, CollectiveTimes& times) : plan_(plan), times_(times) {}

  /// Starts a collective at `now` or when the links are free. Returns its end.
  Time start(Collective collective, Count elements, Time now) {
    if (elements == 0 || plan_.ranks == 1) return now;
    const Transmission t{Time{}, collective, elements, kGradientBytes};
    const Time took = times_.of({t});
    sent_ += times_.sent({t});
    busy_ += took;
    ++number_;
    return free_ = std::max(free_, now) + took;
  }
  Time free() const { return free_; }

  void report(SimulatedSteps& steps, int number) const {
    steps.communication = picoseconds(busy_) / number;
    steps.sent = sent_ / number;
    steps.collectives = static_cast<double>(number_) / number;
  }

 private:
  const TrainingPlan& plan_;
  CollectiveTimes& times_;
  Time free_{}, busy_{};
  double sent_ = 0;
  Count number_ = 0;
};

// Gathers weights before both passes, one unit ahead. Returns the end of the step.
Time gathered_step(const std::vector<ShardedUnit>& units, Links& links, Time begin) {
  const std::size_t last = units.size() - 1;
  Time now = begin;
  Time there = links.start(Collective::all_gather, units[0].elements, now);
  for (std::size_t u = 0; u <= last; ++u) {
    now = std::max(now, there);
    there = links.start(Collective::all_gather, units[std::min(u + 1, last)].elements, now);
    now += units[u].forward;
  }
  for (std::size_t u = units.size(); u-- > 0;) {
    now = std::max(now, there);
    if (u > 0) there = links.start(Collective::all_gather, units[u - 1].elements, now);
    now += units[u].backward;
    links.start(Collective::reduce_scatter, units[u].elements, now);
  }
  return std::max(now, links.free());
}

// Gathers weights unit by unit before the forward pass, once all gradients are scattered.
Time updated_step(const std::vector<ShardedUnit>& units, Links& links, Time begin) {
  Time now = begin;
  std::vector<Time> there;
  for (const ShardedUnit& unit : units)
    there.push_back(links.start(Collective::all_gather, unit.elements, begin));
  for (std::size_t u = 0; u < units.size(); ++u) now = std::max(now, there[u]) + units[u].forward;
  for (std::size_t u = units.size(); u-- > 0;) {
    now += units[u].backward;
    links.start(Collective::reduce_scatter, units[u].elements, now);
  }
  return std::max(now, links.free());
}

}  // namespace

std::optional<Shards> find_sharded_strategy(std::string_view name) {
  if (name == "zero1") return Shards::zero1;
  if (name == "zero2") return Shards::zero2;
  if (name == "fsdp") return Shards::fsdp;
  return std::nullopt;
}

double sharded_bytes(Shards sharding, double n, Rank ranks) {
  return (sharding == Shards::fsdp ? 3 : 2) * n * (ranks - 1) / ranks;
}

double sharded_memory(Shards sharding, double parameters, Rank ranks) {
  constexpr double kWeight = 2, kGradient = 2, kState = 12;
  const double whole = sharding == Shards::fsdp    ? 0
                       : sharding == Shards::zero2 ? kWeight
                       : sharding == Shards::zero1 ? kWeight + kGradient
                                                   : kWeight + kGradient + kState;
  const double all = kWeight + kGradient + kState;
  return parameters * (whole + (all - whole) / ranks);
}

SimulatedSteps simulate_sharded(const TrainingPlan& plan, const Profile& layers,
                                CollectiveTimes& times) {
  const std::vector<ShardedUnit> units = units_of(layers);
  Links links(plan, times);
  SimulatedSteps result;
  Time now{};
  for (int step = 0; step < plan.steps; ++step) {
    result.begins.push_back(now);
    now = plan.sharding == Shards::fsdp ? gathered_step(units, links, now)
                                        : updated_step(units, links, now);
  }
  result.begins.push_back(now);
  links.report(result, plan.steps);
  Time computation{};
  for (const Layer& layer : layers) computation += layer.forward + layer.backward;
  result.exposed = result.period() - picoseconds(computation);
  return result;
}

}  // namespace arlab::training
