// Spec: what must hold before and after a collective, on chunks. It says what "allreduce" means,
// apart from any algorithm.
#pragma once

#include "algorithms/problem.hpp"

namespace arlab {

class Spec {
 public:
  explicit Spec(const Problem& problem) : p_(problem) {}

  /// Whether `rank` holds a value of `chunk` at the start: its own contribution.
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

  /// Whether the finished value of `chunk` sums the contributions of all ranks, or is that of
  /// source() alone.
  bool sums() const { return p_.reduces(); }
  Rank source(Rank chunk) const { return p_.collective == Collective::broadcast ? p_.root : chunk; }

  /// Whether `rank` must hold the finished value of `chunk` at the end; what else it holds does not
  /// matter.
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
