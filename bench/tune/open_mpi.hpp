// What Open MPI's own allreduce algorithms send: the component coll_tuned, of the releases 4.0 to
// 6.0.
//
// Each model repeats the arithmetic of ompi/mca/coll/base/coll_base_allreduce.c: who sends which
// part of the vector to whom. It is independent of what the library reports about itself.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/tune/pair_traffic.hpp"

namespace arlab::bench {

/// An allreduce of a library: its vector, and the size of pipelined segments where the algorithm
/// has them (0: none).
struct LibraryProblem {
  Rank ranks = 1;
  Count elements = 0;
  Count element_bytes = 4;
  Count segment_bytes = 0;
};

struct LibraryModel {
  std::string_view name;  ///< as the library's
  PairTraffic (*traffic)(const LibraryProblem&) = nullptr;
  /// Returns why the library runs another algorithm for this problem; empty if it does not.
  std::string (*falls_back)(const LibraryProblem&) = nullptr;
};

/// The models, without those that are made of other collectives (nonoverlapping), whose traffic
/// depends on the library's choice for these.
const std::vector<LibraryModel>& open_mpi_models();

}  // namespace arlab::bench
