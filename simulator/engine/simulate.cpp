#include "simulator/engine/simulate.hpp"

#include <limits>
#include <string>
#include <utility>

#include "simulator/engine/engine.hpp"

namespace arlab::simulator {

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
  Actors actors(algorithm, lanes, problem.ranks, element_size);
  return Engine(std::move(actors), problem.ranks, element_size, network, options).run();
}

}  // namespace arlab::simulator
