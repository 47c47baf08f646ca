// identify: which algorithm the MPI library ran, for each size, type and operation.
#pragma once

#include <string>
#include <vector>

#include "bench/results/run_body.hpp"
#include "bench/tune/match.hpp"
#include "collectives/reduce/dtype.hpp"

namespace arlab::bench {

/// One call of MPI_Allreduce, and what it sent.
struct Identified {
  std::string asked;  ///< "ring", "segmented_ring:segment=64K"; empty: the library chose
  collectives::Operand operand;
  CountedTraffic counted;
  Match found;
  std::string note;  ///< a fallback; empty if there is none
};

Identified identified(std::string asked, collectives::Operand operand, CountedTraffic counted,
                      bool of_library);

/// Returns "ring", "basic_linear or recursive_doubling", or "unknown".
std::string ran(const Identified& one);

/// Returns what ran over which sizes: "float32 sum: ring from 64 KiB to 1 MiB".
std::vector<std::string> sentences(const std::vector<Identified>& all);

std::string identified_table(const std::vector<Identified>& all);
Json to_json(const Identified& one);

}  // namespace arlab::bench
