// Torus rounds: partners and link loads of halving and doubling on a torus with several ports per
// node.
//
// Every port works on its own part of the vector. Port p starts with dimension p, and each round
// uses the next dimension; ports beyond the dimensions are mirrored, so that they use the opposite
// links. Swing (De Sensi et al., NSDI 2024) reaches partners at distance 1, -1, 3, -5, ... along
// the dimension, recursive doubling at 1, 2, 4, ...
#pragma once

#include <string>
#include <vector>

#include "algorithms/rank_grid.hpp"

namespace arlab::simulator {

/// One round of all ports at the same time.
struct TorusRound {
  Rank hops = 1;             ///< of the farthest message
  double load = 1;           ///< messages of one port that the busiest link carries
  bool beside_ring = false;  ///< a dimension lies on several axes of the machine
};

/// Returns why the torus has no such rounds; empty if it has.
std::string unsupported_torus(const RankGrid& grid);

/// Returns the rounds of the reduce-scatter. Messages take the shorter way along each axis of the
/// machine that the dimension lies on (torus_axis.hpp); if both ways are equally long, half of the
/// bytes take each. A ring of two hosts has one cable.
std::vector<TorusRound> torus_rounds(const RankGrid& grid, int ports, bool swing);

}  // namespace arlab::simulator
