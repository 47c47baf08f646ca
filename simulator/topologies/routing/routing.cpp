#include "simulator/topologies/routing/routing.hpp"

#include <algorithm>

#include "algorithms/base/error.hpp"
#include "algorithms/base/names.hpp"
#include "algorithms/base/parameters.hpp"
#include "algorithms/base/random.hpp"
#include "algorithms/base/text.hpp"
#include "simulator/topologies/build/distances.hpp"
#include "simulator/topologies/routing/structured_routes.hpp"

namespace arlab::simulator {
namespace {

Routing automatic_for(const Structure& structure) {
  if (std::holds_alternative<Grid>(structure)) return Routing::dimension;
  if (std::holds_alternative<Tree>(structure)) return Routing::d_mod_k;
  if (std::holds_alternative<Dragonfly>(structure)) return Routing::minimal;
  return Routing::ecmp;
}

bool is_by_distance(Routing routing) {
  return routing == Routing::shortest || routing == Routing::ecmp || routing == Routing::spray;
}

bool has(const Structure& structure, Routing routing) {
  if (is_by_distance(routing)) return true;
  if (routing == Routing::valiant) return std::holds_alternative<Dragonfly>(structure);
  return automatic_for(structure) == routing;
}

// Whether this is a GPU of a node that passes messages on to NICs. Switches hash, GPUs do not: of
// their own NIC, and NVLink to the GPU at the NIC of the target's rail, they take what is listed
// first if both are as short. (In a network without switches hosts are switches, too.)
bool takes_first_way(const Topology& topology, NodeId at) {
  return topology.is_host(at) && topology.forwards(at) && topology.groups() > 0 &&
         topology.nodes() > topology.hosts();
}

}  // namespace

std::string_view name(Routing routing) {
  constexpr std::string_view kNames[] = {"automatic", "shortest", "ecmp",    "spray",
                                         "dimension", "d_mod_k",  "minimal", "valiant"};
  return kNames[static_cast<std::size_t>(routing)];
}

std::string_view summary(Routing routing) {
  constexpr std::string_view kIdeas[] = {
      "dimension on grids, d_mod_k on fat trees, minimal on dragonflies, else ecmp",
      "fewest hops, then least latency, then the link that comes first",
      "one of the shortest, by hash of source, target, flow and seed; GPUs that relay take the "
      "first",
      "all of the shortest at once, in equal parts at each switch (fluid only)",
      "grids: one dimension after the other, the shorter way round",
      "fat trees: the up links that the target's number names, as SimGrid does",
      "dragonfly: at most one global link",
      "dragonfly: by way of a third group, by hash of source, target, flow and seed"};
  return kIdeas[static_cast<std::size_t>(routing)];
}

RoutingSpec parse_routing(std::string_view text) {
  constexpr Parameter kFlows[] = {{"flows", Parameter::Unit::count, "1",
                                   "flows of a message, each with a hash of its own", 1, 1024}};
  const NamedSettings spec = parse_spec(text);
  const Routing routing = find_named(kRoutings, spec.name, "routing");
  const auto known = std::span(kFlows).first(routing == Routing::ecmp ? 1 : 0);
  const std::string owner = concat("routing ", spec.name);
  const Values values = with_defaults(kFlows, parse_values(known, spec.settings, owner), owner);
  return {routing, static_cast<std::int32_t>(values.at("flows"))};
}

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
      by_distance(target, key());
  }
  return route_.route();
}

Time Router::latency(std::span<const LinkId> route) const {
  Time sum{};
  for (const LinkId id : route) sum += latencies_[static_cast<std::size_t>(id)];
  return sum;
}

// Ways lead to the target's switch; from there goes the target's only link.
Router::Goal Router::goal_of(Rank target) const {
  const LinkId last = only_link_to(topology_, target);
  return {last < 0 ? target : topology_.link(last).from, last};
}

void Router::by_distance(Rank target, std::uint64_t key) {
  const Goal goal = goal_of(target);
  while (route_.at() != goal.node) {
    const NodeId at = route_.at();
    find_ways(at, goal.node);
    if (ways_.empty())
      fail(Blame::usage, "there is no route from '" + topology_.node(at).name + "' to '" +
                             topology_.node(target).name + "' in " + topology_.spec());
    route_.take(ways_[mixed(key ^ static_cast<std::uint64_t>(at)) % ways_.size()]);
  }
  if (goal.last >= 0) route_.take(goal.last);
}

std::span<const LinkId> Router::ways(NodeId at, Rank target) {
  const Goal goal = goal_of(target);
  if (at == goal.node)
    ways_.assign(1, goal.last);
  else
    find_ways(at, goal.node);
  return ways_;
}

// A direct link is the shortest route.
void Router::find_ways(NodeId at, NodeId goal) {
  ways_.clear();
  if (const auto direct = links_.between(at, goal); direct.size() == 1) {
    ways_.push_back(direct[0]);
    return;
  }
  const std::vector<Distance>& distances = topology_.kept_distances().to(topology_, goal);
  const Distance here = distances[index(at)];
  if (!here.reachable()) return;
  for (const LinkId id : links_.out_of(at)) {
    const Link& link = topology_.link(id);
    if (!usable(topology_, link, goal)) continue;
    if (distances[index(link.to)] + link != here) continue;
    ways_.push_back(id);
    if (takes_first_way(topology_, at)) return;
  }
  if (routing_ == Routing::shortest && !ways_.empty())
    ways_.assign(1, *std::min_element(ways_.begin(), ways_.end()));
}

}  // namespace arlab::simulator
