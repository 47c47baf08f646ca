// Torus ports: the time of an allreduce on a torus over several network interfaces per node,
// calibrated from measured times.
//
// It models the library of the measurements (uTofu collectives of HLC-Lab/bine_trees_fugaku): each
// port has a thread, writes into the partner's memory, and adds what arrived; large vectors are
// announced before each write; the form that halves registers and prepares each port and round;
// loops of many elements run on all cores if one port is used.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "algorithms/rank_grid.hpp"
#include "bench/validation/calibrated/robust_fit.hpp"

namespace arlab::simulator {

enum class TorusForm : std::uint8_t { whole, halves, rings };

struct TorusCase {
  TorusForm form = TorusForm::whole;
  bool swing = true;  ///< partners of Swing, otherwise of recursive doubling; not for rings
  std::vector<Rank> sizes;
  int ports = 1;
  double segment = 0;  ///< bytes of a port's message; 0: whole
  Count bytes = 0;
};

std::vector<Prior> torus_priors();

/// Returns the function of the parameters, in the order of torus_priors(), that predicts the times
/// of these cases [us].
PredictRows torus_predictor(const std::vector<TorusCase>& cases);

}  // namespace arlab::simulator
