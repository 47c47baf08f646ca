// SHARP: the switches of the network add all vectors on their way up, and copy the sum on its way
// down.
//
// Each rank sends its vector once and receives the sum once, whatever their number. Switches form a
// tree; each adds what comes from below (Graham et al., Scalable Hierarchical Aggregation Protocol
// (SHArP), COMHPC 2016). NCCL's CollNet and MPI libraries use it.
#include "algorithms/algorithm.hpp"
#include "algorithms/teams.hpp"

namespace arlab::catalog {
namespace {

Program program(Problem p, Rank) {
  if (p.ranks > 1) co_yield join(kEveryone, p.all());
}

Cost rank_cost_model(const Problem& p, Rank) {
  if (p.ranks == 1) return {};
  return {p.elements > 0 ? 1 : 0, p.elements, 1};
}

Cost cost_model(const Problem& p) {
  const Cost each = rank_cost_model(p, 0);
  return {p.ranks * each.messages, p.ranks * each.elements, each.rounds};
}

}  // namespace

Algorithm sharp() {
  return {
      .name = "sharp",
      .label = "SHARP",
      .color = "#497241",
      .family = "whole",
      .summary = "switches add all vectors on their way up, and copy the sum on its way down",
      .source = "Graham et al., COMHPC 2016",
      .formula = {"m", "N m", "1"},
      .collectives = {Collective::allreduce},
      .in_network = true,
      .chained = Chained::no,
      .carries = Carries::whole,
      .program = program,
      .cost_model = cost_model,
      .rank_cost_model = rank_cost_model,
      .unsupported_reason =
          [](const Problem& p) { return refuse_without(p.switches.all, "sharp"); },
  };
}

}  // namespace arlab::catalog
