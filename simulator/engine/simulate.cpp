#include "simulator/engine/simulate.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "simulator/engine/engine.hpp"
#include "simulator/engine/peers_of.hpp"
#include "simulator/sweep/sweep.hpp"

namespace arlab::simulator {
namespace {

// Throws Error(usage) if the problem cannot be simulated.
std::vector<Lane> checked_lanes(const Algorithm& algorithm, const Problem& problem,
                                Bytes element_size, int segments) {
  std::vector<Lane> lanes = lanes_of(algorithm, problem, segments);
  if (const std::string why = unsupported(algorithm, problem); !why.empty())
    fail(Blame::usage, why);
  if (element_size < 1 || problem.elements > std::numeric_limits<Bytes>::max() / element_size / 2)
    fail(Blame::usage, std::to_string(problem.elements) + " elements of " +
                           std::to_string(element_size) + " bytes overflow: use a smaller size");
  return lanes;
}

// Throws Error(usage) if the algorithm needs switches that add and the model has none.
void check_adding(const Algorithm& algorithm, const Network& network) {
  if (algorithm.in_network && !network.adding())
    fail(Blame::usage, std::string(algorithm.name) +
                           " adds in switches, but in this model a message goes from one rank to "
                           "one other: use model fluid, without random delays");
}

// Whether one rank may stand for others.
bool is_alike(const Algorithm& algorithm, const SimulateOptions& options) {
  return !algorithm.in_network && options.starts.empty() && !options.trace && !options.progress;
}

// Whether engines without events may apply.
bool is_plain(const Algorithm& algorithm, const std::vector<Lane>& lanes,
              const SimulateOptions& options) {
  return lanes.size() == 1 && is_alike(algorithm, options);
}

// The costs for engines that need no links; null if they do not apply.
const UniformCosts* costs_for(const Algorithm& algorithm, const Network& network,
                              const std::vector<Lane>& lanes, const SimulateOptions& options) {
  return is_plain(algorithm, lanes, options) ? network.uniform() : nullptr;
}

// Gives all ranks the finish of the rank that stands for them.
void spread_finish(const RankSymmetry& symmetry, SimulationResult& result) {
  const std::vector<Time> of_class = std::exchange(result.finish_of, {});
  result.finish_of.assign(index(symmetry.ranks()), of_class.front());
  for (Rank r = 0; r < symmetry.ranks() && of_class.size() > 1; ++r)
    result.finish_of[index(r)] = of_class[index(symmetry.class_of(r))];
  result.engine = EngineKind::symmetry;
}

std::optional<SimulationResult> sweep_classes(const Algorithm& algorithm, const Problem& lane,
                                              const RankSymmetry& symmetry, Bytes element_size,
                                              const UniformCosts& costs, Time latest) {
  CompactRounds rounds(algorithm, lane, element_size, symmetry);
  auto result = sweep(rounds, element_size, costs, latest);
  if (!result)  // above the eager limit
    result = exchange_sweep(algorithm, lane, element_size, costs, latest, symmetry);
  if (result && !result->stopped) spread_finish(symmetry, *result);
  return result;
}

// On a network with links, by the events of the ranks that stand for all.
SimulationResult events_of_classes(const Algorithm& algorithm, std::span<const Lane> lanes,
                                   const ClassNetwork& of_classes, Bytes element_size,
                                   Network& network, const SimulateOptions& options) {
  const RankSymmetry& usable = of_classes.symmetry;
  SimulationResult result = Engine(ClassActors(algorithm, lanes, usable, element_size),
                                   usable.ranks(), element_size, *of_classes.network, options)
                                .run();
  if (result.stopped) return result;
  std::vector<Time> of_class;
  for (Rank c = 0; c < usable.classes(); ++c)
    of_class.push_back(result.finish_of[index(usable.representative(c))]);
  result.finish_of = std::move(of_class);
  result.sent.messages *= usable.shifts();
  result.sent.elements *= usable.shifts();
  spread_finish(usable, result);
  network.shortcuts()->carry(of_classes.network->shortcuts()->carried());
  return result;
}

}  // namespace

std::optional<RankSymmetry> symmetry_of(const Algorithm& algorithm, const Problem& problem,
                                        int segments) {
  if (!algorithm.symmetry || !unsupported(algorithm, problem).empty()) return {};
  if (segments > 1 && !algorithm.pipelined && problem.elements > 1) return {};  // they take turns
  const auto has_unequal_chunks = [](const Lane& lane) {
    return lane.problem.elements % lane.problem.ranks != 0;
  };
  const std::vector<Lane> lanes = lanes_of(algorithm, problem, segments);
  if (lanes.empty()) return {};
  if (algorithm.family != "whole" && std::any_of(lanes.begin(), lanes.end(), has_unequal_chunks))
    return {};
  return algorithm.symmetry(problem);
}

std::optional<ClassNetwork> classes_on_links(const Algorithm& algorithm, const Problem& problem,
                                             int segments, Network& network) {
  ExactShortcuts* const exact = network.shortcuts();
  if (!exact) return {};
  const auto symmetry = symmetry_of(algorithm, problem, segments);
  if (!symmetry) return {};
  std::optional<ClassNetwork> classes = exact->of_classes(
      &*symmetry, peers_in_programs(algorithm, lanes_of(algorithm, problem, segments)));
  if (!algorithm.all_alike) return classes;
  if (auto more = exact->of_classes(nullptr, all_ranks(problem.ranks));
      more && (!classes || more->symmetry.shifts() > classes->symmetry.shifts()))
    return more;
  return classes;
}

namespace {

std::optional<ClassNetwork> classes_with(const SimulateOptions& options, const Algorithm& algorithm,
                                         const Problem& problem, Network& network) {
  if (!is_alike(algorithm, options)) return {};
  return classes_on_links(algorithm, problem, options.segments, network);
}

}  // namespace

std::optional<SimulationResult> simulate_classes(const Algorithm& algorithm, const Problem& problem,
                                                 Bytes element_size, Network& network,
                                                 const SimulateOptions& options) {
  const auto lanes = checked_lanes(algorithm, problem, element_size, options.segments);
  std::optional<SimulationResult> result;
  if (const UniformCosts* const costs = costs_for(algorithm, network, lanes, options)) {
    const auto symmetry = symmetry_of(algorithm, problem, options.segments);
    if (!symmetry || costs->delay.mean > Time{}) return {};
    result = sweep_classes(algorithm, lanes.front().problem, *symmetry, element_size, *costs,
                           options.latest);
  } else if (const auto classes = classes_with(options, algorithm, problem, network)) {
    result = events_of_classes(algorithm, lanes, *classes, element_size, network, options);
  }
  if (result) result->stopped |= result->finish > options.latest;
  return result;
}

namespace {

// By the first engine that applies.
SimulationResult by_engines(const Algorithm& algorithm, const Problem& problem,
                            const std::vector<Lane>& lanes, Bytes element_size, Network& network,
                            const SimulateOptions& options) {
  const Problem& lane = lanes.front().problem;
  const UniformCosts* const costs = costs_for(algorithm, network, lanes, options);
  if (costs && options.symmetry)
    if (auto result = simulate_classes(algorithm, problem, element_size, network, options))
      return std::move(*result);
  if (costs && options.sweep && CompactRounds::root_fits(algorithm, lane)) {
    if (auto result = exchange_sweep(algorithm, lane, element_size, *costs, options.latest))
      return std::move(*result);
    CompactRounds rounds(algorithm, lane, element_size);
    if (auto result = sweep(rounds, element_size, *costs, options.latest))
      return std::move(*result);
  }
  std::optional<ClassNetwork> classes;
  if (options.symmetry) classes = classes_with(options, algorithm, problem, network);
  // An event takes as long as the sweep of many messages.
  constexpr Rank kMany = 8;
  const bool has_few = !classes || classes->symmetry.shifts() < kMany;
  if (has_few && options.sweep && is_plain(algorithm, lanes, options) && network.shortcuts())
    if (auto result = path_sweep(algorithm, lane, element_size, network)) return std::move(*result);
  if (classes) return events_of_classes(algorithm, lanes, *classes, element_size, network, options);
  Actors actors(algorithm, lanes, problem.ranks, element_size);
  SimulateOptions as_events = options;
  as_events.sweep = options.sweep && !algorithm.in_network;  // rounds of teams are not skipped
  return Engine(std::move(actors), problem.ranks, element_size, network, as_events).run();
}

}  // namespace

SimulationResult simulate(const Algorithm& algorithm, const Problem& problem, Bytes element_size,
                          Network& network, const SimulateOptions& options) {
  const auto lanes = checked_lanes(algorithm, problem, element_size, options.segments);
  check_adding(algorithm, network);
  if (lanes.empty()) {
    SimulationResult nothing;
    nothing.finish_of.resize(static_cast<std::size_t>(problem.ranks));
    return nothing;
  }
  SimulationResult result = by_engines(algorithm, problem, lanes, element_size, network, options);
  result.stopped |= result.finish > options.latest;
  return result;
}

}  // namespace arlab::simulator
