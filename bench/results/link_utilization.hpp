// LinkUtilization: the most utilized links of a simulated network, and their utilization over time.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "simulator/link_history.hpp"
#include "simulator/network.hpp"

namespace arlab::bench {

struct LinkUtilization {
  struct Link {
    simulator::LinkLoad load;
    std::vector<double> by_step;  ///< utilization in each time step, 0 to 1; empty without history
  };
  std::vector<Link> links;        ///< by decreasing utilization, then by number
  Count equally_utilized = 0;     ///< links within 1% of the most utilized one
  std::optional<double> step_us;  ///< the length of a time step
};

/// Returns at most `limit` links, at the end of a run; nothing if the model has no links, or if no
/// bytes were sent. `history`: of the same run, or null.
std::optional<LinkUtilization> most_utilized_links(const simulator::Network& network, Time finish,
                                                   std::size_t limit,
                                                   const simulator::LinkHistory* history = nullptr);

/// Returns "edge0-aggr1 (edge-aggregation) 87%, and 63 more".
std::string to_string(const LinkUtilization& utilization);

}  // namespace arlab::bench
