#include "bench/results/link_utilization.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "bench/text/units.hpp"

namespace arlab::bench {

std::optional<LinkUtilization> most_utilized_links(const simulator::Network& network, Time finish,
                                                   std::size_t limit,
                                                   const simulator::LinkHistory* history) {
  const std::vector<simulator::LinkLoad> loads = network.loads(finish);
  std::vector<std::size_t> order(loads.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  limit = std::min(limit, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(limit), order.end(),
                    [&](std::size_t a, std::size_t b) {
                      return loads[a].utilization != loads[b].utilization
                                 ? loads[a].utilization > loads[b].utilization
                                 : a < b;
                    });
  if (limit == 0 || loads[order[0]].utilization <= 0) return std::nullopt;
  const double equal = 0.99 * loads[order[0]].utilization;
  LinkUtilization all;
  all.equally_utilized =
      std::count_if(loads.begin(), loads.end(),
                    [&](const simulator::LinkLoad& load) { return load.utilization >= equal; });
  if (history) all.step_us = microseconds(history->step());
  for (std::size_t i = 0; i < limit && loads[order[i]].bytes > 0; ++i) {
    LinkUtilization::Link link{loads[order[i]], {}};
    if (history) link.by_step = history->carried(order[i], finish);
    for (double& bytes : link.by_step) bytes /= link.load.rate * picoseconds(history->step());
    all.links.push_back(std::move(link));
  }
  return all;
}

std::string to_string(const LinkUtilization& utilization) {
  const simulator::LinkLoad& first = utilization.links.front().load;
  std::string text =
      fmt::format("{} ({}) {:.0f}%", first.name, first.tier, 100 * first.utilization);
  if (utilization.equally_utilized > 1)
    text += fmt::format(", and {} more", with_commas(utilization.equally_utilized - 1));
  return text;
}

}  // namespace arlab::bench
