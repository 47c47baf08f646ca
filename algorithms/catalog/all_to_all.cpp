// All to all: every rank sends its whole vector to every other rank, and each reduces locally.
//
// One round, but m-1 whole vectors pass every port. The sends are listed in rotation, the right
// neighbor first: with one port per process no two messages collide at a receiver. Every rank adds
// in its own order, so floating-point results may differ between ranks in the last bit. Grama,
// Gupta, Karypis, Kumar, Introduction to Parallel Computing, 2003, ch. 4 (all-to-all broadcast,
// then reduce).
#include <limits>

#include "algorithms/algorithm.hpp"
#include "algorithms/base/text.hpp"

namespace arlab::catalog {
namespace {

Program program(Problem p, Rank me) {
  if (p.ranks == 1) co_return;
  std::vector<Action> round;
  round.reserve(2 * static_cast<std::size_t>(p.ranks - 1));
  for (Rank s = 1; s < p.ranks; ++s) {
    round.push_back(send(p.wrap(Count{me} + s), p.all()));
    round.push_back(reduce(p.wrap(Count{me} - s), p.all()));
  }
  co_yield round;
}

Cost rank_cost_model(const Problem& p, Rank) {
  const Count others = p.ranks - 1;
  return {p.elements > 0 ? others : 0, others * p.elements, others > 0 ? 1 : 0};
}

Cost cost_model(const Problem& p) {
  const Cost each = rank_cost_model(p, 0);
  return {p.ranks * each.messages, p.ranks * each.elements, each.rounds};
}

std::string unsupported_reason(const Problem& p) {
  const Count messages = rank_cost_model(p, 0).messages * p.ranks;
  if (messages == 0 || p.elements <= std::numeric_limits<Count>::max() / 8 / messages) return "";
  return concat("all_to_all on ", p.ranks, " ranks with ", p.elements,
                " elements sends more bytes than 64 bits can count");
}

}  // namespace

Algorithm all_to_all() {
  return {
      .name = "all_to_all",
      .label = "All to all",
      .color = "#D85FDC",
      .family = "whole",
      .summary = "every rank sends its whole vector to every other, and each reduces locally",
      .source = "Grama et al., Introduction to Parallel Computing, 2003, ch. 4",
      .formula = {"m(m-1)", "N m(m-1)", "1"},
      .collectives = {Collective::allreduce},
      .carries = Carries::whole,
      .program = program,
      .cost_model = cost_model,
      .rank_cost_model = rank_cost_model,
      .unsupported_reason = unsupported_reason,
      .symmetry = shift_symmetry,
      .all_alike = true,
  };
}

}  // namespace arlab::catalog
