// Spec: what each rank holds before a collective and must hold after it, chunk by chunk. It defines
// "allreduce" apart from any algorithm.
#pragma once

#include "algorithms/problem.hpp"

namespace arlab {

class Spec {
 public:
  explicit Spec(const Problem& problem) : p_(problem) {}

  /// Returns whether `rank` holds a value of `chunk` at the start: its own contribution.
  bool holds_at_start(Rank rank, Rank chunk) const {
    switch (p_.collective) {
      case Collective::all_gather:
        return rank == chunk;
      case Collective::broadcast:
        return rank == p_.root;
      default:
        return true;
    }
  }

  /// Returns whether the finished value of a chunk sums the contributions of all ranks. Otherwise
  /// it is the contribution of source(chunk).
  bool sums() const { return p_.reduces(); }
  Rank source(Rank chunk) const { return p_.collective == Collective::broadcast ? p_.root : chunk; }

  /// Returns whether `rank` must hold the finished value of `chunk` at the end. Its other chunks
  /// may hold anything.
  bool needs_at_end(Rank rank, Rank chunk) const {
    switch (p_.collective) {
      case Collective::reduce_scatter:
        return rank == chunk;
      case Collective::reduce:
        return rank == p_.root;
      default:
        return true;
    }
  }

 private:
  Problem p_;
};

}  // namespace arlab
