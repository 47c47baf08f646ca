// Bine tree: a binomial tree on negabinary numbers, whose edges are a third shorter.
//
// Ranks are numbered from the root, in negabinary. In step i a rank whose i + 2 low digits are
// equal receives from, any other sends to, the rank whose i + 1 low digits are all flipped; who has
// sent is done. The broadcast runs the tree backwards. De Sensi et al., Bine Trees: Enhancing
// Collective Operations by Optimizing Communication Locality, SC 2025, arXiv:2508.17311.
#include "algorithms/base/text.hpp"
#include "algorithms/parts/negabinary.hpp"

namespace arlab::catalog {
namespace {

// A rank's place in the tree of the core. If the root is an extra rank, the tree's root is its
// host.
struct Place {
  Place(const Problem& p, const Fold& fold, Rank me)
      : core(fold.core), steps(fold.steps), root(p.root % core) {
    digits = to_negabinary(me - root, steps);
    for (children = 0; children < steps && receives(children);) ++children;
  }
  bool receives(int step) const {
    if (step == steps - 1) return digits == 0;
    const std::uint64_t low = (std::uint64_t{4} << step) - 1;
    return (digits & low) == 0 || (digits & low) == low;
  }
  Rank partner(int step) const {
    const std::uint64_t flipped = digits ^ ((std::uint64_t{2} << step) - 1);
    return static_cast<Rank>((root + from_negabinary(flipped, steps)) & (core - 1));
  }
  bool is_root() const { return digits == 0; }

  Rank core;
  int steps;
  Rank root;
  std::uint64_t digits = 0;
  int children = 0;  // received in steps 0 to children - 1; then it sends
};

Program program(Problem p, Rank me) {
  const Fold fold(p.ranks);
  if (fold.is_extra(me)) {
    if (p.reduces()) co_yield send(fold.host(me), p.all());
    if (p.shares()) co_yield replace(fold.host(me), p.all());
    co_return;
  }
  const bool has_guest = fold.guests(me) > 0;
  const Place at(p, fold, me);
  if (p.reduces()) {
    if (has_guest) co_yield reduce(fold.guest(me, 0), p.all());
    for (int s = 0; s < at.children; ++s) co_yield reduce(at.partner(s), p.all());
    if (!at.is_root()) co_yield send(at.partner(at.children), p.all());
  }
  if (p.shares()) {
    if (!at.is_root()) co_yield replace(at.partner(at.children), p.all());
    for (int s = at.children - 1; s >= 0; --s) co_yield send(at.partner(s), p.all());
    if (has_guest) co_yield send(fold.guest(me, 0), p.all());
  }
}

Cost cost_model(const Problem& p) {
  const Fold fold(p.ranks);
  const Count edges = p.halves() * Count{p.ranks - 1};
  return {p.elements > 0 ? edges : 0, edges * p.elements,
          p.halves() * Count{fold.steps + (fold.extras() > 0 ? 1 : 0)}};
}

Cost rank_cost_model(const Problem& p, Rank me) {
  const Fold fold(p.ranks);
  Count up = 1, down = 0;
  if (!fold.is_extra(me)) {
    const Place at(p, fold, me);
    up = at.is_root() ? 0 : 1;
    down = at.children + fold.guests(me);
  }
  const Count sent = (p.reduces() ? up : 0) + (p.shares() ? down : 0);
  return {p.elements > 0 ? sent : 0, sent * p.elements, p.halves() * (up + down)};
}

std::string unsupported_reason(const Problem& p) {
  const Fold fold(p.ranks);
  if (p.collective == Collective::allreduce || p.root < fold.core) return "";
  return concat("the ", name(p.collective), " of bine_tree on ", p.ranks,
                " ranks needs a root below ", fold.core, ", not ", p.root, ": tree takes any root");
}

}  // namespace

Algorithm bine_tree() {
  return {
      .name = "bine_tree",
      .label = "Bine tree",
      .color = "#A19061",
      .family = "whole",
      .summary = "a binomial tree on negabinary numbers, reduced to its root and broadcast back",
      .source = "De Sensi et al., SC 2025, arXiv:2508.17311",
      .formula = {"2(m-1)", "2N(m-1)", "2 log2 m (floor + 1 if m is not a power of two)"},
      .collectives = {Collective::allreduce, Collective::reduce, Collective::broadcast},
      .carries = Carries::whole,
      .program = program,
      .cost_model = cost_model,
      .rank_cost_model = rank_cost_model,
      .unsupported_reason = unsupported_reason,
      .link_claims = {{"ring", LinkClaim::Of::all, "m sum of |rho(s)| / 2^s",
                       [](const Problem& p) {
                         const Fold fold(p.ranks);
                         double sum = 0;
                         for (int s = 0; s < fold.steps; ++s)
                           sum += static_cast<double>(swing_distance(s)) /
                                  static_cast<double>(Count{1} << s);
                         return fold.extras() > 0 ? 0 : p.ranks * sum;
                       }}},
  };
}

}  // namespace arlab::catalog
