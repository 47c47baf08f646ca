// SymbolicState: what every rank holds while a schedule runs on symbols, a sum tree per chunk.
//
// Its callbacks of match_schedule() apply received values at the end of each round. They report
// sends and additions of undefined chunks, and contributions that would be added twice. Switches
// add in the order of the ranks.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "algorithms/spec.hpp"
#include "algorithms/verify/match_schedule.hpp"
#include "algorithms/verify/sum_trees.hpp"

namespace arlab {

/// Returns the memory that the symbols need before the first sum: a value per rank and chunk, a set
/// of ranks per contribution.
double symbol_bytes(const Problem& problem);

class SymbolicState {
 public:
  /// Starts with the values that the Spec requires at the start. Throws Error(usage) if the symbols
  /// would need over 8 GiB.
  explicit SymbolicState(const Problem& problem);

  const Problem& problem() const { return p_; }
  const Spec& spec() const { return spec_; }
  const SumTrees& sums() const { return sums_; }
  /// Returns SumTrees::kNothing if the rank holds no value of the chunk.
  SumTrees::Id held(Rank rank, Rank chunk) const { return held_[cell(rank, chunk)]; }

  /// The state must outlive them.
  MatchCallbacks callbacks();
  Fault on_match(const End& send, const End& receive);
  Fault on_team(std::span<const End> members);
  Fault on_round_end(Rank rank, Count number, Round round);

 private:
  // Neighboring chunks of equal value: a message with the whole vector is one entry, not one per
  // chunk.
  struct Run {
    SumTrees::Id value;
    Rank chunks;
  };

  std::size_t cell(Rank rank, Rank chunk) const {
    return index(rank) * index(p_.parts()) + index(chunk);
  }
  std::vector<Run>& arrived(const End& receive);
  Fault add(Rank rank, Count round, Rank chunk, Rank peer, SumTrees::Id value);

  Problem p_;
  Spec spec_;
  SumTrees sums_;
  std::vector<SumTrees::Id> held_;                      // [rank][chunk]
  std::vector<std::vector<std::vector<Run>>> arrived_;  // [rank][position in its round]
};

/// Returns a fault at a rank's chunk in one of its rounds; round 0: at the end.
Fault fault_at(Fault::Kind kind, Rank rank, Count round, Rank chunk, const std::string& what);

}  // namespace arlab
