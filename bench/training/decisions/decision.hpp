// Decision: which compressor pays on a network and below which bandwidth, and which size of buckets
// is best.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/training/profiled/scale_network.hpp"
#include "bench/training/profiled/scale_options.hpp"

namespace arlab::bench {

/// Saving less of a step than this does not pay: a plan is not that exact.
inline constexpr double kWorthwhile = 0.01;

/// Bit/s of a port, between which it is asked whether a compressor pays.
inline constexpr double kLeastRate = 1e8, kMostRate = 3.2e12;

/// What a compressor does to a step, its own computation included.
struct Payoff {
  std::string compressor = {};
  double step = 0;                        ///< picoseconds
  double saves = 0;                       ///< part of the step; negative: the step takes longer
  std::optional<double> pays_below = {};  ///< bit/s of a port; unset: at no rate, or not asked
};

struct Decision {
  std::string model = {}, device = {}, network = {};
  Rank gpus = 1;
  std::string limit = {};            ///< what bounds the speed of the plan
  double step = 0;                   ///< picoseconds, without compression
  std::vector<Payoff> payoffs = {};  ///< the best first; empty: the strategy does not compress
  bool knows_rates = false;          ///< whether pays_below was asked
  std::string scheduler = {};  ///< the best size of buckets, as a spec; empty: nothing to choose
  double scheduler_saves = 0;  ///< part of the step of the chosen scheduler
};

/// Simulates training on the network with each of a few compressors that make gradients smaller, or
/// with the given one, and with buckets of 1 to 200 MiB; with `rates`, which a network of ports can
/// have, also on ports of other rates. Over links, many ranks leave out codes whose simulation
/// takes long. `profile` is of one of the `gpus`, at least 2. Leaves the limit empty. Throws what
/// planning throws.
Decision decide(const ScaleOptions& options, const training::ModelProfile& profile,
                const ScaleNetwork& network, Rank gpus, bool rates);

}  // namespace arlab::bench
