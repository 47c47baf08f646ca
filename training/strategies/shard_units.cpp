#include "training/strategies/shard_units.hpp"

#include <algorithm>

#include "algorithms/base/error.hpp"
#include "algorithms/levels/group_levels.hpp"
#include "algorithms/verify/verify.hpp"
#include "training/strategies/free_pages.hpp"

namespace arlab::training {
namespace {

// Units whose gradients are exchanged while the backward pass continues, where gradients are freed:
// enough to keep the network busy.
constexpr std::size_t kInProgress = 2;

Bytes bytes_of(Count elements) { return elements * static_cast<Count>(sizeof(float)); }

}  // namespace

ShardUnits::ShardUnits(const StrategyContext& context, bool frees_gradients, bool in_groups)
    : s_(context), frees_(frees_gradients), route_(s_.exchange.route()) {
  if (in_groups) {
    within_ = std::make_unique<const Algorithm>(within_groups(*route_.algorithm));
    across_ = std::make_unique<const Algorithm>(across_groups(*route_.algorithm));
    between_ = route_;
    route_.algorithm = within_.get();
    between_.algorithm = across_.get();
  }
  const std::span<const Variable> variables = s_.parameters.variables();
  for (std::size_t v = 0; v < variables.size(); ++v)
    add(variables[v],
        v == 0 || variables[v].stage < 0 || variables[v].stage != variables[v - 1].stage);
  for (Unit& unit : units_) {
    set_own(unit);
    clear(unit);
  }
  free_pages(s_.optimizer.moments());  // zeros, of which this rank will use a part
}

void ShardUnits::add(const Variable& variable, bool begins_stage) {
  if (units_.empty() || (begins_stage && bytes_of(units_.back().all.elements) >= s_.options.unit))
    units_.push_back({.all = {variable.offset, 0}, .own = {}, .exchange = {}});
  units_.back().all.elements += variable.elements;
  ++units_.back().variables;
  unit_of_.push_back(units_.size() - 1);
}

// The chunks that a reduce-scatter leaves here.
void ShardUnits::set_own(Unit& unit) const {
  const Problem problem{.collective = Collective::reduce_scatter,
                        .ranks = s_.ranks,
                        .elements = unit.all.elements,
                        .groups = route_.groups.get()};
  for (const Lane& lane : lanes_of(*route_.algorithm, problem)) {
    const Blocks blocks = lane.problem.blocks();
    const OwnedBlock own = across_ ? owned_block(lane.problem, s_.rank)
                                   : OwnedBlock{blocks.begin(s_.rank), blocks.size(s_.rank)};
    unit.own.push_back({unit.all.begin + lane.offset + own.begin, own.elements});
  }
}

void ShardUnits::start_step(Count step) {
  step_ = step;
  for (Unit& unit : units_) unit.incomplete = unit.variables;
  last_started_ = units_.size();
}

void ShardUnits::ready(std::size_t variable) {
  --units_[unit_of_[variable]].incomplete;
  while (last_started_ > 0 && units_[last_started_ - 1].incomplete == 0) {
    reduce(units_[--last_started_]);
    if (!frees_ || last_started_ + kInProgress >= units_.size()) continue;
    finish(last_started_ + kInProgress);
    free_others(units_[last_started_ + kInProgress], s_.parameters.gradients());
  }
}

void ShardUnits::reduce(Unit& unit) {
  const std::span<float> gradients = s_.parameters.gradients();
  start(unit, {.phase = Phase::gradient}, route_, Collective::reduce_scatter, gradients);
  if (across_)
    start(unit, {.slice = 1, .phase = Phase::gradient}, between_, Collective::allreduce, gradients);
}

void ShardUnits::start(Unit& unit, CollectiveId id, const Route& route, Collective collective,
                       std::span<float> flat) {
  id.step = step_;
  id.bucket = static_cast<int>(&unit - units_.data());
  unit.exchange = s_.exchange.start(id, unit.all.of(flat), {route, collective, 0});
}

void ShardUnits::update(std::size_t number) {
  expects(last_started_ == 0, "a step ends without all gradients");
  finish(number);
  const Unit& unit = units_[number];
  for (const FlatRange& part : unit.own) {
    const std::span<float> gradients = part.of(s_.parameters.gradients());
    expect_finite(s_.parameters.variables(), part.begin, gradients, step_, false);
    s_.optimizer.apply(part.begin, part.of(s_.parameters.weights()), gradients);
  }
  clear(unit);
}

void ShardUnits::gather(std::size_t unit, int slice) {
  start(units_[unit], {.slice = slice, .phase = Phase::weights}, route_, Collective::all_gather,
        s_.parameters.weights());
}

void ShardUnits::free_weights(std::size_t unit) {
  free_others(units_[unit], s_.parameters.weights());
}

void ShardUnits::finish(std::size_t number) {
  Unit& unit = units_[number];
  if (unit.exchange) s_.exchange.wait(*unit.exchange);
  unit.exchange.reset();
}

void ShardUnits::finish_all() {
  for (std::size_t u = 0; u < units_.size(); ++u) finish(u);
}

bool ShardUnits::in_progress() const {
  return std::any_of(units_.begin(), units_.end(),
                     [](const Unit& unit) { return unit.exchange.has_value(); });
}

Strategy::Shard ShardUnits::shard() const {
  Strategy::Shard shard;
  for (const Unit& unit : units_)
    for (const FlatRange& own : unit.own)
      if (own.elements > 0) shard.ranges.push_back(own);
  std::sort(shard.ranges.begin(), shard.ranges.end(),
            [](const FlatRange& a, const FlatRange& b) { return a.begin < b.begin; });
  shard.first = !across_ || route_.groups->group_of(s_.rank) == 0;
  return shard;
}

void ShardUnits::gather_weights() {
  for (std::size_t u = 0; u < units_.size(); ++u) gather(u, 0);
  finish_all();
}

void ShardUnits::free_others(const Unit& unit, std::span<float> flat) const {
  Count from = unit.all.begin;
  const auto free_until = [&](Count to) { free_pages(FlatRange{from, to - from}.of(flat)); };
  for (const FlatRange& own : unit.own) {
    free_until(own.begin);
    from = own.begin + own.elements;
  }
  free_until(unit.all.begin + unit.all.elements);
}

// Sets the gradients to 0 for the next step.
void ShardUnits::clear(const Unit& unit) {
  const std::span<float> gradients = unit.all.of(s_.parameters.gradients());
  if (frees_)
    free_pages(gradients);
  else
    std::fill(gradients.begin(), gradients.end(), 0.0F);
}

namespace {

// Rank 0 proves for all that the ranks of a place add in one order.
bool would_drift(const StrategyContext& context, Rank groups) {
  const Algorithm& algorithm = *context.exchange.route().algorithm;
  const bool drifts =
      context.rank == 0 &&
      !verify(algorithm, Problem{.ranks = groups, .elements = groups}).same_on_all_ranks;
  return context.exchange.communicator().max(drifts ? 1 : 0) > 0;
}

std::string refuse_levels(const StrategyContext& context) {
  const Route& route = context.exchange.route();
  Problem problem{.ranks = context.ranks, .elements = context.ranks, .groups = route.groups.get()};
  if (!problem.groups)
    return "shards within groups need to know the groups: give a number of ranks per group that "
           "divides " +
           std::to_string(context.ranks);
  const std::string who = "shards within groups: ";
  const Algorithm across = across_groups(*route.algorithm);
  if (const std::string why = unsupported(across, problem); !why.empty()) return who + why;
  const Algorithm within = within_groups(*route.algorithm);
  for (const Collective collective : {Collective::reduce_scatter, Collective::all_gather}) {
    problem.collective = collective;
    if (const std::string why = unsupported(within, problem); !why.empty())
      return who + why + ": use algorithm ring";
  }
  if (!would_drift(context, problem.groups->count())) return "";
  return who + std::string(route.algorithm->name) +
         " adds in a different order on each rank: use algorithm ring";
}

}  // namespace

std::string refuse_shards(const StrategyContext& context, bool in_groups) {
  const Route& route = context.exchange.route();
  const std::string who = "a sharded strategy needs reduce_scatter and all_gather";
  if (!route.algorithm)
    return who + ", and the native collective is an allreduce: use algorithm ring";
  if (route.segments != 1)
    return who + ", which do not work in " + std::to_string(route.segments) +
           " segments: use 1 segment";
  if (context.options.unit < 1)
    return "a sharded strategy has units of " + std::to_string(context.options.unit) +
           " bytes: use at least 1, such as 26214400";
  if (in_groups) return refuse_levels(context);
  for (const Collective collective : {Collective::reduce_scatter, Collective::all_gather}) {
    const Problem problem{.collective = collective,
                          .ranks = context.ranks,
                          .elements = context.ranks,
                          .groups = route.groups.get()};
    if (const std::string why = unsupported(*route.algorithm, problem); !why.empty())
      return who + ": " + why + ": use algorithm ring";
  }
  return "";
}

}  // namespace arlab::training
