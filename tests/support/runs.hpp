// run(): makes a network and simulates on it, for tests.
#pragma once

#include <string_view>

#include "simulator/engine/simulate.hpp"
#include "simulator/models/model.hpp"
#include "tests/support/time.hpp"
#include "tests/support/tried.hpp"

namespace arlab::simulator {

inline SimulationResult run(std::string_view model, const Values& values,
                            const Algorithm& algorithm, const Problem& problem,
                            Bytes element_size = 1, const SimulateOptions& options = {}) {
  const auto network = make_network(find_model(model), values, problem.ranks);
  return simulate(algorithm, problem, element_size, *network, options);
}

}  // namespace arlab::simulator
