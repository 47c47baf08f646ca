// Recursive multiplying: a butterfly of base k: groups of k exchange vectors in log_k m steps.
//
// In step i a rank exchanges with the k - 1 others whose number differs in digit i of base k. Fewer
// rounds than a butterfly, more data per round: for short vectors, and for nodes with several
// ports. Ranks beyond the largest power of k fold into the others. MPICH,
// allreduce_intra_recursive_multiplying.c; Ruefenacht, Bull, Booth, Generalisation of recursive
// doubling for allreduce, Parallel Computing 69, 2017.
#include "algorithms/base/text.hpp"
#include "algorithms/fold.hpp"

namespace arlab::catalog {
namespace {

Program program(Problem p, Rank me, Rank k) {
  const Fold fold(p.ranks, k);
  if (fold.is_extra(me)) {
    co_yield send(fold.host(me), p.all());
    co_yield replace(fold.host(me), p.all());
    co_return;
  }
  std::vector<Action> round;
  const auto with_guests = [&](ActionKind kind) {
    round.clear();
    for (Rank i = 0; i < fold.guests(me); ++i) round.push_back({kind, fold.guest(me, i), p.all()});
    return Round(round);
  };
  if (fold.guests(me) > 0) co_yield with_guests(ActionKind::reduce);
  for (Rank d = 1; d < fold.core; d *= k) {
    round.clear();
    const Rank digit = me / d % k;
    for (Rank i = 1; i < k; ++i) {
      const Rank peer = me + ((digit + i) % k - digit) * d;
      const Rank source = me + ((digit - i + k) % k - digit) * d;
      round.push_back(send(peer, p.all()));
      round.push_back(reduce(source, p.all()));
    }
    co_yield round;
  }
  if (fold.guests(me) > 0) co_yield with_guests(ActionKind::send);
}

Cost cost_model(const Problem& p, Rank k) {
  const Fold fold(p.ranks, k);
  const Count messages = Count{fold.core} * fold.steps * (k - 1);
  return fold.around(p, {p.elements > 0 ? messages : 0, messages * p.elements, fold.steps});
}

Cost rank_cost_model(const Problem& p, Rank me, Rank k) {
  const Fold fold(p.ranks, k);
  const Count messages = Count{fold.steps} * (k - 1);
  return fold.around(p, me, {p.elements > 0 ? messages : 0, messages * p.elements, fold.steps});
}

Algorithm make(Rank k) {
  return {
      .name = "recursive_multiplying",
      .label = "Rec. multiply",
      .color = "#898B8C",
      .family = "whole",
      .summary = "groups of k exchange whole vectors, in log_k m steps",
      .source = "Ruefenacht, Bull, Booth, Parallel Computing 69, 2017; MPICH",
      .formula = {"m (k-1) log_k m (+ fold-in of extras)",
                  "N m (k-1) log_k m (+ fold-in of extras)",
                  "log_k m (floor + 2 if m is not a power of k)"},
      .collectives = {Collective::allreduce},
      .chained = (k & (k - 1)) == 0 ? Chained::all_chunks : Chained::no,
      .carries = Carries::whole,
      .program = [k](Problem p, Rank me) { return program(p, me, k); },
      .cost_model = [k](const Problem& p) { return cost_model(p, k); },
      .rank_cost_model = [k](const Problem& p, Rank me) { return rank_cost_model(p, me, k); },
      .symmetry = [k](const Problem& p) { return folded_digit_symmetry(p, k); },
      .parameters = {{"k", Parameter::Unit::count, "4", "ranks that exchange in a step", 2, 1024}},
      .examples = {"recursive_multiplying:k=2", "recursive_multiplying:k=3",
                   "recursive_multiplying:k=5"},
  };
}

Algorithm configure(std::span<const Setting> settings) {
  const Algorithm usual = make(4);
  constexpr std::string_view kOwner = "algorithm recursive_multiplying";
  const Values values = with_defaults(
      usual.parameters, parse_values(usual.parameters, settings, kOwner), kOwner);
  return make(static_cast<Rank>(values.at("k")));
}

}  // namespace

Algorithm recursive_multiplying() {
  Algorithm entry = make(4);
  entry.configure = configure;
  return entry;
}

}  // namespace arlab::catalog
