#include "bench/results/hot_links.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "bench/cli/units.hpp"

namespace arlab::bench {

std::optional<HotLinks> hottest(const simulator::Network& network, Time finish, std::size_t most,
                                const simulator::LinkHistory* history) {
  const std::vector<simulator::LinkLoad> loads = network.loads(finish);
  std::vector<std::size_t> order(loads.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  most = std::min(most, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(most), order.end(),
                    [&](std::size_t a, std::size_t b) {
                      return loads[a].utilization != loads[b].utilization ? loads[a].utilization > loads[b].utilization
                                                              : a < b;
                    });
  if (most == 0 || loads[order[0]].utilization <= 0) return std::nullopt;
  const double hot = 0.99 * loads[order[0]].utilization;
  HotLinks all;
  all.as_hot = std::count_if(loads.begin(), loads.end(),
                             [&](const simulator::LinkLoad& load) { return load.utilization >= hot; });
  if (history) all.step_us = microseconds(history->step());
  for (std::size_t i = 0; i < most && loads[order[i]].bytes > 0; ++i) {
    HotLinks::One one{loads[order[i]], {}};
    if (history) one.busy = history->carried(order[i], finish);
    for (double& bytes : one.busy) bytes /= one.load.rate * static_cast<double>(history->step());
    all.links.push_back(std::move(one));
  }
  return all;
}

std::string text_of(const HotLinks& hot) {
  const simulator::LinkLoad& first = hot.links.front().load;
  std::string text = fmt::format("{} ({}) {:.0f}%", first.name, first.tier, 100 * first.utilization);
  if (hot.as_hot > 1) text += fmt::format(", {} as hot", show_count(hot.as_hot - 1));
  return text;
}

}  // namespace arlab::bench
