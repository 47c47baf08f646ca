#include "simulator/topologies/routing/routing.hpp"

#include <algorithm>

#include "algorithms/base/error.hpp"
#include "algorithms/base/names.hpp"
#include "algorithms/base/random.hpp"
#include "simulator/topologies/routing/structured_routes.hpp"

namespace arlab::simulator {
namespace {

Routing automatic_for(const Structure& structure) {
  if (std::holds_alternative<Grid>(structure)) return Routing::dimension;
  if (std::holds_alternative<Tree>(structure)) return Routing::d_mod_k;
  if (std::holds_alternative<Dragonfly>(structure)) return Routing::minimal;
  return Routing::ecmp;
}

bool has(const Structure& structure, Routing routing) {
  if (routing == Routing::shortest || routing == Routing::ecmp) return true;
  if (routing == Routing::valiant) return std::holds_alternative<Dragonfly>(structure);
  return automatic_for(structure) == routing;
}

// Whether this is a GPU of a node that passes messages on to NICs. Switches hash, a GPU does not: it
// takes its NIC, or NVLink to the GPU at the NIC of its target's rail, whichever is listed first of
// ways that are as short. (In a network without switches hosts are switches, too.)
bool takes_first_way(const Topology& topology, NodeId at) {
  return topology.is_host(at) && topology.forwards(at) && topology.groups() > 0 &&
         topology.nodes() > topology.hosts();
}

}  // namespace

std::string_view name(Routing routing) {
  constexpr std::string_view kNames[] = {"automatic", "shortest", "ecmp",   "dimension",
                                         "d_mod_k",   "minimal",  "valiant"};
  return kNames[static_cast<std::size_t>(routing)];
}

std::string_view summary(Routing routing) {
  constexpr std::string_view kIdeas[] = {
      "dimension on grids, d_mod_k on fat trees, minimal on dragonflies, else ecmp",
      "fewest hops, then least latency, then the link that comes first",
      "one of the shortest, by hash of source, target, flow and seed; GPUs that relay take the first",
      "grids: one dimension after the other, the shorter way round",
      "fat trees: the up links that the target's number names, as SimGrid does",
      "dragonfly: at most one global link",
      "dragonfly: by way of a third group, by hash of source, target, flow and seed"};
  return kIdeas[static_cast<std::size_t>(routing)];
}

Routing find_routing(std::string_view text) { return find_named(kRoutings, text, "routing"); }

Router::Router(const Topology& topology, Routing routing, std::uint64_t seed)
    : topology_(topology),
      routing_(routing == Routing::automatic ? automatic_for(topology.structure()) : routing),
      seed_(seed),
      links_(topology),
      route_(topology, links_) {
  for (const Link& link : topology.links()) latencies_.push_back(link.latency);
  if (!has(topology.structure(), routing_))
    fail(Blame::usage, "routing '" + std::string(name(routing_)) + "' does not fit " +
                           topology.spec() + " (" + std::string(summary(routing_)) +
                           "; not with dead links): use shortest or ecmp");
  if (routing_ == Routing::d_mod_k)
    tree_.emplace(std::get<Tree>(topology.structure()), topology.spec());
  if (routing_ == Routing::shortest || routing_ == Routing::ecmp)
    tables_.resize(static_cast<std::size_t>(topology.nodes()));
}

std::span<const LinkId> Router::route(Rank source, Rank target, std::int64_t flow) {
  expects(source >= 0 && source < topology_.hosts() && target >= 0 && target < topology_.hosts(),
          "routes are between hosts of the topology");
  route_.start(source);
  if (source == target) return route_.route();
  const auto key = [&] {
    return mixed(mixed(mixed(mixed(seed_) ^ static_cast<std::uint64_t>(source)) ^
                       static_cast<std::uint64_t>(target)) ^
                 static_cast<std::uint64_t>(flow));
  };
  switch (routing_) {
    case Routing::dimension:
      walk_dimensions(route_, std::get<Grid>(topology_.structure()), target);
      break;
    case Routing::d_mod_k:
      walk_d_mod_k(route_, *tree_, source, target);
      break;
    case Routing::minimal:
      walk_minimal(route_, std::get<Dragonfly>(topology_.structure()), target, key());
      break;
    case Routing::valiant:
      walk_valiant(route_, std::get<Dragonfly>(topology_.structure()), source, target, key());
      break;
    default:
      by_table(target, key());
  }
  return route_.route();
}

Time Router::latency(std::span<const LinkId> route) const {
  Time sum{};
  for (const LinkId id : route) sum += latencies_[static_cast<std::size_t>(id)];
  return sum;
}

// A direct link is the shortest route. Otherwise routes to the target's switch, then takes the
// target's only link.
void Router::by_table(Rank target, std::uint64_t key) {
  const LinkId last = only_link_to(topology_, target);
  const NodeId goal = last < 0 ? target : topology_.link(last).from;
  while (route_.at() != goal) {
    const LinkId next = choose(goal, key);
    if (next < 0)
      fail(Blame::usage, "there is no route from '" + topology_.node(route_.at()).name + "' to '" +
                             topology_.node(target).name + "' in " + topology_.spec());
    route_.take(next);
  }
  if (last >= 0) route_.take(last);
}

LinkId Router::choose(NodeId target, std::uint64_t key) {
  const NodeId at = route_.at();
  if (const auto direct = links_.between(at, target); direct.size() == 1) return direct[0];
  const Table& table = table_to(target);
  if (routing_ == Routing::shortest) return table.next[static_cast<std::size_t>(at)];
  const auto out = links_.out_of(at);
  const auto leads_on = [&](LinkId id) {
    const Link& link = topology_.link(id);
    return usable(topology_, link, target) &&
           table.distance[static_cast<std::size_t>(link.to)] + link ==
               table.distance[static_cast<std::size_t>(at)];
  };
  const auto ways = static_cast<std::uint64_t>(std::count_if(out.begin(), out.end(), leads_on));
  if (ways == 0 || !table.distance[static_cast<std::size_t>(at)].reachable()) return -1;
  std::uint64_t chosen =
      takes_first_way(topology_, at) ? 0 : mixed(key ^ static_cast<std::uint64_t>(at)) % ways;
  for (const LinkId id : out)
    if (leads_on(id) && chosen-- == 0) return id;
  return -1;
}

const Router::Table& Router::table_to(NodeId target) {
  Table& table = tables_[static_cast<std::size_t>(target)];
  if (!table.distance.empty() || !table.next.empty()) return table;
  table.distance = distances_to(topology_, target);
  if (routing_ == Routing::ecmp) return table;
  table.next.assign(table.distance.size(), -1);
  for (LinkId id = 0; id < static_cast<LinkId>(topology_.links().size()); ++id) {
    const Link& link = topology_.link(id);
    const Distance& here = table.distance[static_cast<std::size_t>(link.from)];
    LinkId& next = table.next[static_cast<std::size_t>(link.from)];
    if (next < 0 && here.reachable() && link.from != target && usable(topology_, link, target) &&
        table.distance[static_cast<std::size_t>(link.to)] + link == here)
      next = id;
  }
  table.distance = {};
  return table;
}

}  // namespace arlab::simulator
