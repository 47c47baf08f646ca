// Route: by which algorithm a collective of the training travels.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/algorithm.hpp"
#include "algorithms/groups.hpp"
#include "collectives/communicator.hpp"

namespace arlab {

struct Route {
  const Algorithm* algorithm = nullptr;            ///< null: the backend's own allreduce
  int segments = 1;                                ///< pipeline
  std::shared_ptr<const Groups> groups = nullptr;  ///< ranks that share a machine; null: not known

  std::string name(const Communicator& communicator) const;
  /// Lanes that one collective uses at most.
  int lanes() const;
};

/// The route by its word: an algorithm's name, "native" for the backend's own allreduce, or "auto",
/// which times all of them on `elements` floats and takes the fastest. Every rank calls it, and all
/// get the same answer. `group_size`: so many consecutive ranks share a machine, for algorithms
/// that use it; 0: as the communicator knows. Throws Error(usage) for an unknown name, and for an
/// algorithm that adds up in another order on each rank: the replicas would drift apart.
Route find_route(std::string_view word, int segments, Communicator& communicator, Count elements,
                 Rank group_size = 0);

/// What "auto" tries: all that keep the replicas equal. Every rank calls it.
std::vector<Route> all_routes(int segments, Communicator& communicator, Rank group_size = 0);

/// Runs a collective on floats, in place; its messages use the lanes from `first_lane` on.
/// Returns what this rank sent; nothing is counted for the backend's own.
Cost travel(Communicator& communicator, const Route& route, Collective collective, Rank root,
            std::span<float> data, int first_lane);

}  // namespace arlab
