// Route: by which algorithm a collective of the training travels.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "algorithms/algorithm.hpp"
#include "collectives/communicator.hpp"

namespace arlab {

struct Route {
  const Algorithm* algorithm = nullptr;  ///< null: the backend's own allreduce
  int segments = 1;                      ///< pipeline

  std::string name(const Communicator& communicator) const;
  /// Lanes that one collective uses at most.
  int lanes() const;
};

/// The route by its word: an algorithm's name, "native" for the backend's own allreduce, or "auto",
/// which times all of them on `elements` floats and takes the fastest. Every rank calls it, and all
/// get the same answer. Throws Error(usage) for an unknown name, and for an algorithm that adds up
/// in another order on each rank: the replicas would drift apart.
Route find_route(std::string_view word, int segments, Communicator& communicator, Count elements);

/// Runs a collective on floats, in place; its messages use the lanes from `first_lane` on.
/// Returns what this rank sent; nothing is counted for the backend's own.
Cost travel(Communicator& communicator, const Route& route, Collective collective, Rank root,
            std::span<float> data, int first_lane);

}  // namespace arlab
