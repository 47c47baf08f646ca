// Route: the algorithm and the transport of a training collective.
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
  const Algorithm* algorithm = nullptr;            ///< null: the backend's native allreduce
  int segments = 1;                                ///< pipeline
  std::shared_ptr<const Groups> groups = nullptr;  ///< ranks that share a machine; null: unknown
  collectives::Executor* executor = nullptr;       ///< see RouteOptions; must outlive the route

  std::string name(const collectives::Communicator& communicator) const;
  /// Returns the maximum number of lanes that one collective uses.
  int lanes() const;
};

/// What a route may use in addition to the communicator's rounds.
struct RouteOptions {
  Rank group_size = 0;  ///< consecutive ranks that share a machine; 0: as the communicator reports
  /// Runs the collectives; null: rounds of the communicator, on host memory.
  collectives::Executor* executor = nullptr;
};

/// Returns the route for an algorithm's name, for "native", the backend's native allreduce, or for
/// "auto", which times all of them on `elements` floats and takes the fastest. Every rank calls it
/// and gets the same answer. Throws Error(usage) for an unknown name, and for an algorithm that
/// adds in a different order on each rank: the replicas would drift apart.
Route find_route(std::string_view word, int segments, collectives::Communicator& communicator,
                 Count elements, const RouteOptions& options = {});

/// Returns all routes that keep replicas equal, which "auto" tries. Every rank calls it.
std::vector<Route> all_routes(int segments, collectives::Communicator& communicator,
                              const RouteOptions& options = {});

/// Runs a collective on floats in place, on the lanes from `first_lane` on. Returns what this rank
/// sent; the native allreduce counts nothing.
Cost run_collective(collectives::Communicator& communicator, const Route& route,
                    Collective collective, Rank root, std::span<float> data, int first_lane);

/// Does the same on floats in the memory of the executor's device, once the events are done. Throws
/// Error(usage) if it has none.
collectives::DeviceRun run_on_device(const collectives::Communicator& communicator,
                                     const Route& route, Collective collective, Rank root,
                                     std::span<float> there,
                                     std::span<const collectives::DeviceEvent> after);

}  // namespace arlab::training
