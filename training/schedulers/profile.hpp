// Profile: what one training iteration costs, layer by layer, and what a message costs on the link.
//
// The stuff that schedules are made from: Shi et al., MG-WFBP, INFOCOM 2019, use the same numbers.
#pragma once

#include <string>
#include <vector>

#include "algorithms/base/time.hpp"
#include "algorithms/problem.hpp"

namespace arlab::training {

/// Gradients are float32.
inline constexpr Bytes kGradientBytes = 4;

struct Layer {
  std::string name;
  Time forward{}, backward{};
  Count elements = 0;  ///< of its gradient; 0 for a layer without parameters
  /// The layers whose output its forward pass takes; empty: the layer before. A branch of a network
  /// takes another than that.
  std::vector<int> needs;

  Bytes bytes() const { return elements * kGradientBytes; }
};

/// In the order of the forward pass; the backward pass is the reverse.
using Profile = std::vector<Layer>;

/// Throws Error(usage), naming the layer, for times or sizes below zero, and for a need that is not
/// an earlier layer.
void check(const Profile& profile);

/// A gradient of n bytes holds the link for alpha + n beta to be allreduced, and is there `latency`
/// later. Each half of an allreduce, reduce-scatter and all-gather, takes alpha + n beta / 2.
struct LinkCost {
  Time alpha{};
  double beta = 0;  ///< picoseconds a byte
  Time latency{};

  Time holds(Bytes bytes, Collective collective = Collective::allreduce) const {
    const double half = collective == Collective::allreduce ? 1 : 0.5;
    return alpha + to_time(beta * static_cast<double>(bytes) * half);
  }
};

}  // namespace arlab::training
