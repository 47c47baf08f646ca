#include "plots/explorer/engine/layout.hpp"

#include <algorithm>

#include "algorithms/base/error.hpp"
#include "algorithms/base/text.hpp"
#include "simulator/forest/forest.hpp"
#include "simulator/topologies/team_trees.hpp"

namespace arlab::explorer {
namespace {

std::string groups_text(const Groups& groups) {
  std::string sizes;
  for (Rank g = 0; g < groups.count(); ++g) sizes += concat(g > 0 ? ", " : "", groups.size_of(g));
  return concat("nodes of ", sizes, " ranks");
}

}  // namespace

Layout layout_of(const Algorithm& algorithm, Rank ranks, const simulator::FabricSpec& spec) {
  Layout layout;
  const bool needs =
      algorithm.grouped || algorithm.gridded || algorithm.forested || algorithm.in_network;
  if (!needs) return layout;
  if (algorithm.forested && ranks > kMaxTreeRanks)
    fail(Blame::usage,
         concat(algorithm.name, " on ", ranks, " ranks: a page computes trees for up to ",
                kMaxTreeRanks, " ranks, use fewer"));
  simulator::FabricSpec known = spec;
  if (known.topology.empty()) known.topology = "crossbar";
  const auto fabric = simulator::build_fabric(known, ranks);
  if (algorithm.grouped) {
    layout.groups = simulator::groups_of(*fabric);
    if (!layout.groups)
      layout.groups = std::make_shared<const Groups>(
          Groups::consecutive(ranks, std::min<Rank>(4, (ranks + 1) / 2)));
    layout.text = groups_text(*layout.groups);
  }
  if (algorithm.gridded) {
    layout.grid = simulator::grid_of(*fabric);
    if (!layout.grid) {
      Rank rows = 1;
      for (Rank r = 2; r * r <= ranks; ++r)
        if (ranks % r == 0) rows = r;
      layout.grid = std::make_shared<const RankGrid>(
          rows == 1 ? std::vector<Rank>{ranks} : std::vector<Rank>{ranks / rows, rows});
    }
    layout.text = concat("a torus of ", layout.grid->text(), " ranks");
  }
  if (algorithm.forested) {
    layout.forest = std::make_shared<const Forest>(
        simulator::synthesize(fabric->topology, fabric->host_of).forest);
    layout.text = concat(layout.forest->trees().size(), " trees for ", known.topology);
  }
  if (algorithm.in_network) layout.switches = simulator::switch_sums(*fabric, layout.groups.get());
  return layout;
}

std::string needs_of(const Algorithm& algorithm) {
  if (algorithm.in_network)
    return "needs switches that add: of the model fluid, on a topology such as dgx_h100";
  if (algorithm.grouped)
    return "knows which ranks share a node: of the topology, or else nodes of up to 4 ranks";
  if (algorithm.gridded)
    return "knows the ranks as a torus: of the topology, or else the one nearest to a square";
  if (algorithm.forested)
    return concat("uses trees that are computed for the topology, for up to ", kMaxTreeRanks,
                  " ranks");
  return algorithm.few_ranks ? "runs on few numbers of ranks" : "";
}

}  // namespace arlab::explorer
