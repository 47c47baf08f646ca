// Rabenseifner: recursive halving, then recursive doubling: as few bytes as a ring in log2 m
// rounds.
//
// Near first (MPICH): partners at distance 1, 2, 4, ...; a rank finishes the part whose number is
// its own with the bits reversed. Far first: the other way around; rank r finishes part r, so the
// halves are a reduce_scatter and an all_gather. If m is not a power of two, extra ranks fold into
// the others first. Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005.
#include "algorithms/base/text.hpp"
#include "algorithms/parts/halving.hpp"
#include "algorithms/rank_grid.hpp"

namespace arlab::catalog {
namespace {

Rank near_partner(const Fold&, Rank me, int step) { return me ^ (1 << step); }
Rank far_partner(const Fold& fold, Rank me, int step) { return me ^ (fold.core >> (step + 1)); }

Rank own_part(const Fold&, Rank me) { return me; }
Rank reversed_part(const Fold& fold, Rank me) {
  Rank reversed = 0;
  for (int s = 0; s < fold.steps; ++s) reversed = reversed << 1 | (me >> s & 1);
  return reversed;
}

std::string unsupported_half(const Problem& p) {
  if (p.collective == Collective::allreduce || Fold(p.ranks).extras() == 0) return "";
  return concat("the ", name(p.collective), " of rabenseifner needs a power of two of ranks, not ",
                p.ranks, ": circulant takes any number");
}

// Step s crosses the busiest link with as many messages as partners are far apart, of N / 2^(s+1)
// elements, in each half.
double near_link_load(const Problem& p) {
  const Fold fold(p.ranks);
  return fold.extras() > 0 || p.ranks < 4 ? 0 : fold.steps;
}
double near_link_load_of_torus(const Problem& p) {
  const Fold fold(p.ranks);
  if (!p.grid || fold.extras() > 0) return 0;
  double load = 0;
  for (int d = 0; d < p.grid->dimensions(); ++d) {
    if (p.grid->size(d) < 4) return 0;
    load += static_cast<double>(floor_log2(p.grid->size(d))) / p.grid->stride(d);
  }
  return load;
}
double far_link_load(const Problem& p) {
  const Fold fold(p.ranks);
  return fold.extras() > 0 || p.ranks < 4 ? 0 : 2 * (p.ranks - 1.0 / p.ranks) / 3;
}

Algorithm make(bool far) {
  const Halving halving =
      far ? Halving{far_partner, own_part} : Halving{near_partner, reversed_part};
  Algorithm made{
      .name = "rabenseifner",
      .label = "Rabenseifner",
      .color = "#860946",
      .family = "split",
      .summary = "halve the vector with the partner at distance 1, 2, 4, ..., then double back",
      .source = "Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005",
      .formula = {"2 m log2 m (+ fold-in of extras)", "2N(m-1)",
                  "2 log2 m (floor + 1 if m is not a power of two)"},
      .collectives = {Collective::allreduce},
      .chained = Chained::any_chunk,
      .carries = Carries::range,
      .program = [halving](Problem p, Rank me) { return halving_program(p, me, halving); },
      .cost_model = halving_cost,
      .rank_cost_model = [halving](const Problem& p,
                                   Rank me) { return halving_rank_cost(p, me, halving); },
      .chain_elements = halving_chain_elements,
      .unsupported_reason = unsupported_half,
      .symmetry = exclusive_or_symmetry,
      .parameters = {{"far", Parameter::Unit::flag, "no", "start with the partner farthest away"}},
      .examples = {"rabenseifner:far=yes"},
  };
  made.link_claims = {{"ring", LinkClaim::Of::each_round, far ? "2(m - 1/m)/3" : "log2 m",
                       far ? far_link_load : near_link_load}};
  if (!far)
    made.link_claims.push_back({"torus", LinkClaim::Of::each_round,
                                "sum of log2 d / (product of the sizes before d)",
                                near_link_load_of_torus});
  if (far) {
    made.collectives.push_back(Collective::reduce_scatter);
    made.collectives.push_back(Collective::all_gather);
  }
  return made;
}

Algorithm configure(std::span<const Setting> settings) {
  const Algorithm entry = make(false);
  const Values values = parse_values(entry.parameters, settings, "algorithm rabenseifner");
  return make(values.at("far") != 0);
}

}  // namespace

Algorithm rabenseifner() {
  Algorithm entry = make(false);
  entry.configure = configure;
  return entry;
}

}  // namespace arlab::catalog
