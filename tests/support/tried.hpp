// tried: an algorithm made of one program that a test tries out: no catalogue entry, and with
// nothing claimed.
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
