// Halving: recursive halving, then recursive doubling, with any choice of partners.
//
// The vector is cut into `core` parts, one per rank of the fold's core. In step s every rank has a
// partner; the two split their common range of parts, and each keeps and reduces one half. The
// steps run backwards to gather. rabenseifner and swing differ in partners and in the part a rank
// ends with.
#pragma once

#include "algorithms/fold.hpp"

namespace arlab {

struct Halving {
  /// Returns the partner of a rank of the core in step 0, 1, ...
  using Partner = Rank (*)(const Fold& fold, Rank me, int step);
  /// Returns the part, 0 to core - 1, that a rank of the core finishes.
  using Part = Rank (*)(const Fold& fold, Rank me);
  Partner partner;
  Part part;
};

/// Returns the program of one rank for an allreduce, or for a reduce_scatter or all_gather in which
/// part(me) is me.
Program halving_program(Problem p, Rank me, Halving halving);

/// Closed forms for all ranks, and for one rank.
Cost halving_cost(const Problem& p);
Cost halving_rank_cost(const Problem& p, Rank me, const Halving& halving);

/// Returns the elements of messages of 1, 2, 4, ... up to half of the chunks, the first ones, which
/// follow one another in each half of the collective (Algorithm::chain_elements).
Count halving_chain_elements(const Problem& p);

}  // namespace arlab
