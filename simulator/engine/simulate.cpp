#include "simulator/engine/simulate.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "simulator/engine/engine.hpp"
#include "simulator/sweep/sweep.hpp"

namespace arlab::simulator {
namespace {

// Whether all chunks of every lane have the same size.
bool has_equal_chunks(std::span<const Lane> lanes) {
  return std::all_of(lanes.begin(), lanes.end(), [](const Lane& lane) {
    return lane.problem.elements % lane.problem.ranks == 0;
  });
}

SimulationResult simulate_classes(const Algorithm& algorithm, std::span<const Lane> lanes,
                                  const RankSymmetry& symmetry, Rank ranks, Bytes element_size,
                                  Network& network, const SimulateOptions& options) {
  ClassActors actors(algorithm, lanes, symmetry, ranks, element_size);
  SimulationResult result =
      Engine(std::move(actors), symmetry.classes(), element_size, network, options).run();
  const std::vector<Time> of_class = std::exchange(result.finish_of, {});
  result.finish_of.reserve(index(ranks));
  for (Rank r = 0; r < ranks; ++r)
    result.finish_of.push_back(of_class[index(symmetry.class_of(r))]);
  result.engine = EngineKind::symmetry;
  return result;
}

}  // namespace

std::optional<RankSymmetry> symmetry_of(const Algorithm& algorithm, const Problem& problem,
                                        int segments) {
  if (!algorithm.symmetry || !unsupported(algorithm, problem).empty()) return {};
  if (algorithm.family != "whole" && !has_equal_chunks(lanes_of(algorithm, problem, segments)))
    return {};
  return algorithm.symmetry(problem);
}

SimulationResult simulate(const Algorithm& algorithm, const Problem& problem, Bytes element_size,
                          Network& network, const SimulateOptions& options) {
  const std::vector<Lane> lanes = lanes_of(algorithm, problem, options.segments);
  if (const std::string why = unsupported(algorithm, problem); !why.empty())
    fail(Blame::usage, why);
  if (element_size < 1 || problem.elements > std::numeric_limits<Bytes>::max() / element_size / 2)
    fail(Blame::usage, std::to_string(problem.elements) + " elements of " +
                           std::to_string(element_size) + " bytes overflow: use a smaller size");
  if (lanes.empty()) {
    SimulationResult nothing;
    nothing.finish_of.resize(static_cast<std::size_t>(problem.ranks));
    return nothing;
  }
  if (const UniformCosts* costs = network.uniform(); costs && !options.trace && !options.progress) {
    if (const auto symmetry =
            options.symmetry ? symmetry_of(algorithm, problem, options.segments) : std::nullopt)
      return simulate_classes(algorithm, lanes, *symmetry, problem.ranks, element_size, network,
                              options);
    if (options.sweep && lanes.size() == 1) {
      CompactRounds rounds(algorithm, lanes.front().problem, element_size);
      if (auto result = sweep(rounds, problem.ranks, element_size, *costs))
        return std::move(*result);
    }
  }
  Actors actors(algorithm, lanes, problem.ranks, element_size);
  return Engine(std::move(actors), problem.ranks, element_size, network, options).run();
}

}  // namespace arlab::simulator
