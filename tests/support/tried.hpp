// tried: an algorithm for a test, made of one program. It is not in the catalog and has no cost
// model.
#pragma once

#include "algorithms/algorithm.hpp"

namespace arlab {

inline Algorithm tried(Program (*program)(Problem, Rank)) {
  Algorithm algorithm;
  algorithm.name = "tried";
  algorithm.collectives = {Collective::allreduce};
  algorithm.program = program;
  return algorithm;
}

}  // namespace arlab
