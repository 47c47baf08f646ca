// Torus axis: how a dimension of a job's torus lies on the axes of the machine.
//
// A node of the Tofu interconnect D has the coordinates X, Y, Z, A, B, C, of which Fugaku has 24,
// 23, 24, 2, 3, and 2 (Ajima et al., The Tofu Interconnect D, CLUSTER 2018). A dimension of the job
// that fits on two rows of one long axis (X with A, Y with B, Z with C) runs up the one row and
// down the other: a ring. A longer one lies on three axes, one of them on Y, B, and C, the others
// on Z, X, and A. Neighbors stay neighbors, but far partners are few hops away: their messages
// leave the way along the dimension, and load links that a ring does not have.
#pragma once

#include <utility>
#include <vector>

#include "algorithms/rank_grid.hpp"

namespace arlab::simulator {

class TorusAxis {
 public:
  /// `sizes`: of the machine's axes that it lies on, the fastest first; `ring`: the last place of
  /// an axis is a neighbor of its first.
  TorusAxis(std::vector<Rank> sizes, bool ring) : sizes_(std::move(sizes)), ring_(ring) {}

  const std::vector<Rank>& sizes() const { return sizes_; }
  bool ring() const { return ring_; }
  /// Returns the coordinates of the place with this number.
  std::vector<Rank> place(Rank number) const;
  /// Returns a different number for each place.
  Rank number(const std::vector<Rank>& place) const;

 private:
  std::vector<Rank> sizes_;
  bool ring_;
};

/// Returns the axis of each dimension of the job. The sizes are powers of two.
std::vector<TorusAxis> torus_axes(const RankGrid& grid);

}  // namespace arlab::simulator
