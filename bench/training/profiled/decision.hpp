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

/// What a compressor does to a step, its own computation included.
struct Payoff {
  std::string compressor = {};
  double saves = 0;                       ///< part of the step; negative: the step takes longer
  std::optional<double> pays_below = {};  ///< bit/s of a port; unset: at no rate, or not asked
};

struct Decision {
  std::string network = {};
  Rank gpus = 1;
  std::vector<Payoff> payoffs = {};  ///< the best first; empty: the strategy does not compress
  bool knows_rates = false;          ///< whether pays_below was asked
  std::string scheduler = {};  ///< the best size of buckets, as a spec; empty: nothing to choose
  double scheduler_saves = 0;  ///< part of the step of the chosen scheduler
};

/// Simulates training on the network with each of a few compressors, or with the given one, and
/// with buckets of 1 to 200 MiB; with `rates`, which a network of ports can have, also on ports of
/// 0.1 Gbit/s to 3.2 Tbit/s. `profile` is of one of the `gpus`, at least 2. Throws what planning
/// throws.
Decision decide(const ScaleOptions& options, const training::ModelProfile& profile,
                const ScaleNetwork& network, Rank gpus, bool rates);

/// Returns sentences: what pays, below which rate, and the best buckets.
std::vector<std::string> explain(const Decision& decision);

}  // namespace arlab::bench
