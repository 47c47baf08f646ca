// LatestRoutes: the route of the latest message of each rank, as the links that it shares.
//
// Many ranks send to the same target repeatedly.
#pragma once

#include <span>
#include <vector>

#include "simulator/topologies/routing/shared_links.hpp"

namespace arlab::simulator {

class LatestRoutes {
 public:
  struct Route {
    Rank target = -1;
    Time latency{};
    std::vector<LinkId> links;
  };

  /// host_of: of each rank. It and the links must outlive this.
  LatestRoutes(const SharedLinks& links, std::span<const Rank> host_of)
      : links_(links), host_of_(host_of), routes_(host_of.size()) {}

  /// Valid until the next call for that source.
  const Route& find(Router& router, Rank source, Rank target) {
    Route& route = routes_[index(source)];
    if (route.target == target) return route;
    const auto links = router.route(host_of_[index(source)], host_of_[index(target)]);
    route.target = target;
    route.latency = router.latency(links);
    route.links = links_.crossed(links);
    return route;
  }

 private:
  const SharedLinks& links_;
  std::span<const Rank> host_of_;
  std::vector<Route> routes_;
};

}  // namespace arlab::simulator
