// Profile: the cost of one training iteration, layer by layer, and of a message on the link.
//
// Schedules are computed from these numbers, as in Shi et al., MG-WFBP, INFOCOM 2019.
#pragma once

#include <string>
#include <vector>

#include "algorithms/base/time.hpp"
#include "algorithms/problem.hpp"

namespace arlab::training {

/// Bytes per element; gradients are float32.
inline constexpr Bytes kGradientBytes = 4;

struct Layer {
  std::string name;
  Time forward{}, backward{};
  Count elements = 0;  ///< of its gradient; 0 for a layer without parameters
  /// The layers whose output the forward pass takes; empty: the previous layer. Set it for networks
  /// with branches.
  std::vector<int> needs;

  Bytes bytes() const { return elements * kGradientBytes; }
};

/// Layers in the order of the forward pass; the backward pass runs in reverse.
using Profile = std::vector<Layer>;

/// Throws Error(usage), naming the layer, for negative times or sizes, and for a need that is not an
/// earlier layer.
void check(const Profile& profile);

/// The allreduce of n bytes occupies the link for alpha + n beta and completes `latency` later. Each
/// half of an allreduce (reduce-scatter, all-gather) takes alpha + n beta / 2.
struct LinkCost {
  Time alpha{};
  double beta = 0;  ///< picoseconds per byte
  Time latency{};

  Time holds(Bytes bytes, Collective collective = Collective::allreduce) const {
    const double half = collective == Collective::allreduce ? 1 : 0.5;
    return alpha + to_time(beta * static_cast<double>(bytes) * half);
  }
};

}  // namespace arlab::training
