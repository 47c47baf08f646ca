// LatestRoutes: the ways of the latest message of each rank, as the links that it shares.
//
// Many ranks send to the same target repeatedly.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "simulator/topologies/routing/shared_links.hpp"
#include "simulator/topologies/routing/spray.hpp"

namespace arlab::simulator {

class LatestRoutes {
 public:
  struct Way {
    Time latency{};
    std::vector<LinkId> links{};  ///< each as often as parts of the message cross it
  };
  struct Route {
    Rank target = -1;
    std::vector<Way> ways{};  ///< of each flow of the message
  };

  /// flows: of each message. host_of: of each rank. It, the topology and the links must outlive
  /// this.
  LatestRoutes(const Topology& topology, const SharedLinks& links, Router& router,
               std::span<const Rank> host_of, std::int32_t flows)
      : topology_(topology),
        links_(links),
        router_(router),
        host_of_(host_of),
        flows_(flows),
        routes_(host_of.size()) {
    if (router.routing() == Routing::spray) parts_ = parts_to_spray(topology, router, host_of);
  }

  /// Into how many parts a flow is cut, which share its bytes.
  std::int32_t parts() const { return parts_; }
  /// Whether each message takes one route.
  bool are_single() const { return flows_ == 1 && parts_ == 1; }

  /// Valid until the next call for that source.
  const Route& find(Rank source, Rank target) {
    Route& route = routes_[index(source)];
    if (route.target != target) set(route, source, target);
    return route;
  }

 private:
  [[gnu::noinline]] void set(Route& route, Rank source, Rank target) {
    route.target = target;
    route.ways.clear();
    const Rank from = host_of_[index(source)], to = host_of_[index(target)];
    for (std::int32_t flow = 0; flow < flows_; ++flow) {
      const auto links = router_.route(from, to, flow);
      const Time latency = router_.latency(links);
      route.ways.push_back({latency, parts_ > 1 ? sprayed(topology_, router_, from, to, parts_)
                                                : links_.crossed(links)});
    }
  }

  const Topology& topology_;
  const SharedLinks& links_;
  Router& router_;
  std::span<const Rank> host_of_;
  std::int32_t flows_ = 1, parts_ = 1;
  std::vector<Route> routes_;
};

}  // namespace arlab::simulator
