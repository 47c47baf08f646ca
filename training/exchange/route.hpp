// Route: by which algorithm a collective of the training travels, and between what.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/algorithm.hpp"
#include "algorithms/groups.hpp"
#include "collectives/communicator.hpp"
#include "collectives/executor.hpp"

namespace arlab::training {

struct Route {
  const Algorithm* algorithm = nullptr;            ///< null: the backend's own allreduce
  int segments = 1;                                ///< pipeline
  std::shared_ptr<const Groups> groups = nullptr;  ///< ranks that share a machine; null: not known
  collectives::Executor* executor = nullptr;       ///< see RouteOptions; outlives the route

  std::string name(const collectives::Communicator& communicator) const;
  /// Lanes that one collective uses at most.
  int lanes() const;
};

/// What a route may use besides the communicator's own rounds.
struct RouteOptions {
  Rank group_size = 0;  ///< so many consecutive ranks share a machine; 0: as the communicator knows
  /// Runs the collectives; null: rounds of the communicator, on host memory.
  collectives::Executor* executor = nullptr;
};

/// The route by its word: an algorithm's name, "native" for the backend's own allreduce, or "auto",
/// which times all of them on `elements` floats and takes the fastest. Every rank calls it, and all
/// get the same answer. Throws Error(usage) for an unknown name, and for an algorithm that adds up
/// in another order on each rank: the replicas would drift apart.
Route find_route(std::string_view word, int segments, collectives::Communicator& communicator,
                 Count elements, const RouteOptions& options = {});

/// What "auto" tries: all that keep the replicas equal. Every rank calls it.
std::vector<Route> all_routes(int segments, collectives::Communicator& communicator,
                              const RouteOptions& options = {});

/// Runs a collective on floats, in place; its messages use the lanes from `first_lane` on.
/// Returns what this rank sent; nothing is counted for the backend's own.
Cost travel(collectives::Communicator& communicator, const Route& route, Collective collective,
            Rank root, std::span<float> data, int first_lane);

}  // namespace arlab::training
