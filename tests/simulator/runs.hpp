// Simulations in one call, and algorithms made of one program: what the tests of simulator/ share.
#pragma once

#include <string_view>

#include "simulator/engine.hpp"
#include "simulator/model.hpp"

namespace arlab {

inline Outcome run(std::string_view model, const Values& values, const Algorithm& algorithm,
                   const Problem& problem, Bytes element_size = 1,
                   const SimulateOptions& options = {}) {
  const auto network = make_network(find_model(model), values, problem.ranks);
  return simulate(algorithm, problem, element_size, *network, options);
}

/// No catalogue entry, and with nothing claimed.
inline Algorithm algorithm_of(Program (*program)(Problem, Rank)) {
  Algorithm algorithm;
  algorithm.name = "test";
  algorithm.collectives = {Collective::allreduce};
  algorithm.program = program;
  return algorithm;
}

}  // namespace arlab
