// Holdings: what every rank holds while a schedule runs on symbols: a sum tree for each chunk.
//
// A visitor of the walk. It applies what arrives at the end of each round, and finds what a rank
// sends or adds without holding it, and contributions that would be added twice.
#pragma once

#include <string>
#include <vector>

#include "algorithms/spec.hpp"
#include "algorithms/verify/match_schedule.hpp"
#include "algorithms/verify/sum_trees.hpp"

namespace arlab {

class SymbolicState : public Visitor {
 public:
  /// What the Spec says of the start. Throws Error(usage) where the symbols would need over 8 GiB.
  explicit SymbolicState(const Problem& problem);

  const Problem& problem() const { return p_; }
  const Spec& spec() const { return spec_; }
  const SumTrees& sums() const { return sums_; }
  /// Sums::kNothing where the rank holds no value of the chunk.
  SumTrees::Id held(Rank rank, Rank chunk) const { return held_[index(rank, chunk)]; }

  Fault meets(const End& send, const End& receive) override;
  Fault ends(Rank rank, Count number, Count step, Round round) override;

 private:
  // Neighbouring chunks of equal value, so that a message with the whole vector is one entry, not
  // one a chunk.
  struct Run {
    SumTrees::Id value;
    Rank chunks;
  };

  std::size_t index(Rank rank, Rank chunk) const {
    return std::size_t(rank) * std::size_t(p_.ranks) + std::size_t(chunk);
  }
  std::vector<Run>& arrived(const End& receive);
  Fault add(Rank rank, Count round, Rank chunk, Rank peer, SumTrees::Id value);

  Problem p_;
  Spec spec_;
  SumTrees sums_;
  std::vector<SumTrees::Id> held_;                      // [rank][chunk]
  std::vector<std::vector<std::vector<Run>>> arrived_;  // [rank][position in its round]
};

/// A fault found at a rank's chunk in one of its rounds; round 0: at the end.
Fault fault_at(Fault::Kind kind, Rank rank, Count round, Rank chunk, const std::string& what);

}  // namespace arlab
