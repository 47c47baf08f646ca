// HotLinks: the links of a simulated network that carried most for what they can, and how busy they
// were when.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "simulator/link_history.hpp"
#include "simulator/network.hpp"

namespace arlab::bench {

struct HotLinks {
  struct One {
    simulator::LinkLoad load;
    std::vector<double> busy;  ///< share in each step of time; empty if nobody watched
  };
  std::vector<One> links;         ///< the hottest first; equally hot ones by number
  Count as_hot = 0;               ///< links within 1% of the hottest
  std::optional<double> step_us;  ///< length of a step
};

/// At most `most` links, at the end of a run; none where the model has no links, or nothing was
/// sent. `history`: of the same run, or null.
std::optional<HotLinks> hottest(const simulator::Network& network, Time finish, std::size_t most,
                                const simulator::LinkHistory* history = nullptr);

/// "edge0-aggr1 (edge-aggregation) 87%, 63 as hot"
std::string text_of(const HotLinks& hot);

}  // namespace arlab::bench
