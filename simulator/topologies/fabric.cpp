#include "simulator/topologies/fabric.hpp"

#include <algorithm>

#include "algorithms/base/error.hpp"
#include "algorithms/base/text.hpp"
#include "simulator/topologies/build/kind.hpp"

namespace arlab::simulator {

std::shared_ptr<const Fabric> build_fabric(const FabricSpec& spec, Rank ranks) {
  Topology topology = make_topology(spec.topology.empty() ? "crossbar" : spec.topology, ranks);
  std::vector<Rank> host_of = place(topology, find_placement(spec.placement), ranks, spec.seed);
  const auto [routing, flows] = parse_routing(spec.routing);
  return std::make_shared<const Fabric>(
      Fabric{std::move(topology), routing, spec.seed, std::move(host_of), flows});
}

void expect_one_route(const Fabric& fabric, std::string_view model) {
  if (fabric.flows > 1 || fabric.routing == Routing::spray)
    fail(Blame::usage, concat("model ", model,
                              " sends a message over one route, not over several: "
                              "use --network fluid"));
}

std::shared_ptr<const Groups> groups_of(const Fabric& fabric) {
  if (fabric.topology.groups() == 0) return nullptr;
  std::vector<std::int32_t> of_rank;
  for (const Rank host : fabric.host_of) of_rank.push_back(fabric.topology.group_of(host));
  return std::make_shared<const Groups>(of_rank);
}

std::shared_ptr<const RankGrid> grid_of(const Fabric& fabric) {
  const Grid* const grid = std::get_if<Grid>(&fabric.topology.structure());
  if (!grid || static_cast<Rank>(fabric.host_of.size()) != fabric.topology.hosts()) return nullptr;
  for (Rank r = 0; r < fabric.topology.hosts(); ++r)
    if (fabric.host_of[index(r)] != r) return nullptr;
  return std::make_shared<const RankGrid>(std::vector<Rank>(grid->dims.begin(), grid->dims.end()));
}

std::optional<RankSymmetry> shifts_along(const Fabric& fabric) {
  const Structure& structure = fabric.topology.structure();
  const Grid* const grid = std::get_if<Grid>(&structure);
  const Tree* const tree = std::get_if<Tree>(&structure);
  if (!grid && !tree) return {};
  RankSymmetry shifts(grid ? grid->dims : tree->down);
  if (shifts.ranks() != static_cast<Rank>(fabric.host_of.size())) return {};
  return shifts;
}

std::vector<LinkLoad> loads_of(const Topology& topology, std::span<const double> carried,
                               Time now) {
  std::vector<LinkLoad> loads;
  for (std::size_t l = 0; l < carried.size(); ++l) {
    const Link& link = topology.links()[l];
    const double rate = link.bandwidth / kPicosecondsPerSecond, max = rate * picoseconds(now);
    loads.push_back({link.name, topology.tiers()[static_cast<std::size_t>(link.tier)], carried[l],
                     max > 0 ? carried[l] / max : 0, rate});
  }
  return loads;
}

double average_route(const Fabric& fabric) {
  constexpr std::size_t kMax = 64;  // senders, and receivers of each
  Router router(fabric.topology, fabric.routing, fabric.seed);
  const std::size_t ranks = fabric.host_of.size(), stride = ranks / kMax | 1;
  double links = 0, routes = 0;
  for (std::size_t a = 0; a < ranks; a += stride)
    for (std::size_t b = a % stride; b < ranks; b += stride) {
      if (a == b) continue;
      links += static_cast<double>(router.route(fabric.host_of[a], fabric.host_of[b]).size());
      ++routes;
    }
  return routes > 0 ? links / routes : 0;
}

}  // namespace arlab::simulator
