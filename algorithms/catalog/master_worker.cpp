// Master and workers: all send to one master, which reduces and sends the result back.
//
// Two rounds and the fewest messages, but all of them pass the master's port. A single synchronous
// parameter server exchanges gradients in the same way. Li et al., Scaling Distributed Machine
// Learning with the Parameter Server, OSDI 2014.
#include "algorithms/algorithm.hpp"

namespace arlab::catalog {
namespace {

Program master(Problem p) {
  if (p.ranks == 1) co_return;
  std::vector<Action> round;
  const auto with_every_worker = [&](ActionKind kind) {
    round.clear();
    round.reserve(static_cast<std::size_t>(p.ranks - 1));
    for (Rank s = 1; s < p.ranks; ++s) round.push_back({kind, p.wrap(Count{p.root} + s), p.all()});
    return Round(round);
  };
  if (p.reduces()) co_yield with_every_worker(ActionKind::reduce);
  if (p.shares()) co_yield with_every_worker(ActionKind::send);
}

Program worker(Problem p) {
  if (p.reduces()) co_yield send(p.root, p.all());
  if (p.shares()) co_yield replace(p.root, p.all());
}

Program program(Problem p, Rank me) { return me == p.root ? master(p) : worker(p); }

Cost cost_model(const Problem& p) {
  const Count workers = p.ranks - 1;
  return {p.elements > 0 ? p.halves() * workers : 0, p.halves() * workers * p.elements,
          workers > 0 ? p.halves() : 0};
}

Cost rank_cost_model(const Problem& p, Rank me) {
  const bool sends = me == p.root ? p.shares() : p.reduces();
  const Count sent = !sends ? 0 : me == p.root ? p.ranks - 1 : 1;
  return {p.elements > 0 ? sent : 0, sent * p.elements, p.ranks > 1 ? p.halves() : 0};
}

}  // namespace

Algorithm master_worker() {
  return {
      .name = "master_worker",
      .label = "Master-worker",
      .color = "#C98216",
      .family = "whole",
      .summary = "all send to one master, which reduces and sends the result back",
      .source = "Li et al., OSDI 2014 (one synchronous parameter server)",
      .formula = {"2(m-1)", "2N(m-1)", "2"},
      .collectives = {Collective::allreduce, Collective::reduce, Collective::broadcast},
      .carries = Carries::whole,
      .program = program,
      .cost_model = cost_model,
      .rank_cost_model = rank_cost_model,
  };
}

}  // namespace arlab::catalog
