#include "algorithms/parts/halving.hpp"

#include "algorithms/chunk_hits.hpp"

namespace arlab {
namespace {

// The chunks of `width` parts from the first one on. Part i is the chunks from floor(P i / core)
// on.
Chunks chunks_of(const Problem& p, const Fold& fold, Count part, Count width) {
  const Count begin = p.ranks * part / fold.core, end = p.ranks * (part + width) / fold.core;
  return {static_cast<Rank>(begin), static_cast<Rank>(end - begin)};
}

// The two halves that partners split in a step: the one kept, and the partner's.
struct Halves {
  Chunks mine, theirs;
};
Halves halves(const Problem& p, const Fold& fold, Rank part, int step) {
  const Count width = fold.core >> (step + 1), half = part / width;
  return {chunks_of(p, fold, half * width, width), chunks_of(p, fold, (half ^ 1) * width, width)};
}

}  // namespace

Program halving_program(Problem p, Rank me, Halving halving) {
  const Fold fold(p.ranks);
  if (fold.is_extra(me)) {
    co_yield send(fold.host(me), p.all());
    co_yield replace(fold.host(me), p.all());
    co_return;
  }
  const bool has_guest = fold.guests(me) > 0;
  if (has_guest) co_yield reduce(fold.guest(me, 0), p.all());
  const Rank part = halving.part(fold, me);
  if (p.reduces())
    for (int s = 0; s < fold.steps; ++s) {
      const Rank partner = halving.partner(fold, me, s);
      const Halves of = halves(p, fold, part, s);
      co_yield together(send(partner, of.theirs), reduce(partner, of.mine));
    }
  if (p.shares())
    for (int s = fold.steps - 1; s >= 0; --s) {
      const Rank partner = halving.partner(fold, me, s);
      const Halves of = halves(p, fold, part, s);
      co_yield together(send(partner, of.mine), replace(partner, of.theirs));
    }
  if (has_guest) co_yield send(fold.guest(me, 0), p.all());
}

// In step s the core works on 2^(s+1) halves; half h begins at chunk floor(P h / 2^(s+1)), and
// core / 2^(s+1) ranks send it.
Cost halving_cost(const Problem& p) {
  const Fold fold(p.ranks);
  Cost cost{0, p.halves() * Count{fold.core - 1} * p.elements, p.halves() * Count{fold.steps}};
  for (int s = 0; s < fold.steps; ++s) {
    const Count halves = Count{2} << s;
    const Count filled = std::min(halves, (p.filled_chunks() * halves + p.ranks - 1) / p.ranks);
    cost.messages += p.halves() * filled * (fold.core / halves);
  }
  return fold.around(p, cost);
}

Cost halving_rank_cost(const Problem& p, Rank me, const Halving& halving) {
  const Fold fold(p.ranks);
  Cost cost{0, 0, fold.is_extra(me) ? 0 : p.halves() * Count{fold.steps}};
  for (int s = 0; s < fold.steps && !fold.is_extra(me); ++s) {
    const Halves of = halves(p, fold, halving.part(fold, me), s);
    const auto sends = [&](const Chunks& half) { add_message(p.blocks(), half, cost); };
    if (p.reduces()) sends(of.theirs);
    if (p.shares()) sends(of.mine);
  }
  return fold.around(p, me, cost);
}

// The messages that reach the rank that finishes part 0, and those that leave it.
Count halving_chain_elements(const Problem& p) {
  const Blocks blocks = p.blocks();
  Count elements = 0;
  for (Count chunks = 1; chunks < p.ranks; chunks *= 2) elements += blocks.begin(chunks);
  return p.halves() * elements;
}

}  // namespace arlab
