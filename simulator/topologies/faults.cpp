#include "simulator/topologies/faults.hpp"

#include <algorithm>

#include "algorithms/base/error.hpp"
#include "algorithms/base/names.hpp"
#include "algorithms/base/quantities.hpp"
#include "simulator/topologies/analysis/connectivity.hpp"
#include "simulator/topologies/analysis/flow.hpp"
#include "simulator/topologies/build/distances.hpp"
#include "simulator/topologies/build/settings.hpp"

namespace arlab::simulator {
namespace {

constexpr double kDead = 0;

[[noreturn]] void unknown_link(const Topology& topology, std::string_view wanted) {
  constexpr std::size_t kMaxCompared = 20'000;
  std::vector<std::string_view> names;
  if (topology.links().size() <= kMaxCompared)
    for (const Link& link : topology.links()) names.push_back(link.name);
  fail(Blame::usage, topology.spec() + " has no link '" + std::string(wanted) + "'" +
                         did_you_mean(wanted, names) + " (node--node takes both directions)");
}

bool matches(const Topology& topology, const Link& link, std::string_view wanted) {
  if (link.name == wanted) return true;
  const std::string &from = topology.node(link.from).name, &to = topology.node(link.to).name;
  return wanted == from + "--" + to || wanted == to + "--" + from;
}

// Returns the factor by which each link is slower.
std::vector<double> slowness(const Topology& topology, std::span<const LinkFault> faults) {
  std::vector<double> slower(topology.links().size(), 1);
  for (const LinkFault& fault : faults)
    for (const LinkId link : links_named(topology, fault.link)) {
      double& factor = slower[static_cast<std::size_t>(link)];
      factor = fault.slower == kDead ? kDead : factor * fault.slower;
    }
  return slower;
}

// Returns the fewest dead links that separate the first source from the target.
std::string cut(const Topology& whole, const std::vector<double>& slower,
                const Disconnection& disconnection) {
  const auto n = static_cast<std::size_t>(whole.nodes());
  const auto usable_links = [&](auto use) {
    for (std::size_t id = 0; id < slower.size(); ++id)
      if (const Link& link = whole.links()[id]; usable(whole, link, disconnection.target))
        use(id, link);
  };
  FlowNetwork network(n);
  usable_links([&](std::size_t id, const Link& link) {
    constexpr std::int64_t kUncut = std::int64_t{1} << 32;  // more than there can be dead links
    network.add(static_cast<std::size_t>(link.from), static_cast<std::size_t>(link.to),
                slower[id] == kDead ? 1 : kUncut);
  });
  const auto source = static_cast<std::size_t>(disconnection.sources.front());
  network.max_flow(source, static_cast<std::size_t>(disconnection.target));
  const auto near = network.source_side(source);
  std::string names;
  usable_links([&](std::size_t id, const Link& link) {
    if (slower[id] == kDead && near[static_cast<std::size_t>(link.from)] &&
        !near[static_cast<std::size_t>(link.to)])
      names += (names.empty() ? "" : ", ") + link.name;
  });
  return names;
}

}  // namespace

LinkFault parse_fault(std::string_view text) {
  const auto refuse = [&] {
    fail(Blame::usage, "unknown fault '" + std::string(text) +
                           "': write dead=LINK or slow=LINK:4 (a quarter of the bandwidth)");
  };
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) refuse();
  const std::string_view kind = text.substr(0, equals);
  std::string_view link = text.substr(equals + 1);
  if (kind == "dead" && !link.empty()) return {std::string(link), kDead};
  const std::size_t colon = link.rfind(':');
  if (kind != "slow" || colon == std::string_view::npos || colon == 0) refuse();
  const double slower = parse_ratio(link.substr(colon + 1), "how many times slower a link is:");
  if (slower < 1)
    fail(Blame::usage,
         "fault '" + std::string(text) + "' would make the link faster: give 1 or more");
  return {std::string(link.substr(0, colon)), slower};
}

std::vector<LinkId> links_named(const Topology& topology, std::string_view name) {
  std::vector<LinkId> found;
  for (std::size_t id = 0; id < topology.links().size(); ++id)
    if (matches(topology, topology.links()[id], name)) found.push_back(static_cast<LinkId>(id));
  if (found.empty()) unknown_link(topology, name);
  return found;
}

Topology with_faults(const Topology& topology, std::span<const LinkFault> faults) {
  if (faults.empty()) return topology;
  const std::vector<double> slower = slowness(topology, faults);
  std::string spec = topology.spec();
  for (const LinkFault& fault : faults)
    spec += fault.slower == kDead ? " dead=" + fault.link
                                  : " slow=" + fault.link + ":" + short_number(fault.slower);
  TopologyBuilder builder(topology, spec);
  for (std::size_t id = 0; id < slower.size(); ++id) {
    const Link& link = topology.links()[id];
    if (slower[id] == kDead) continue;
    builder.add_link(
        link.from, link.to,
        {link.bandwidth / slower[id], link.latency,
         topology.tiers()[static_cast<std::size_t>(link.tier)], link.slower * slower[id]},
        link.name);
  }
  if (std::find(slower.begin(), slower.end(), kDead) == slower.end())
    builder.structure(topology.structure());
  Topology made = std::move(builder).build();
  if (const auto disconnection = find_disconnection(made)) {
    const std::string links = cut(topology, slower, *disconnection);
    if (!links.empty())
      fail(Blame::usage, topology.spec() + " is disconnected: " + to_string(*disconnection, made) +
                             "; dead links on the minimum cut: " + links);
  }
  return made;
}

}  // namespace arlab::simulator
