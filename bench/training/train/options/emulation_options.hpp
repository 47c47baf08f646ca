// The options of emulated training: the network, and the speed of the workers.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "collectives/backends/backend.hpp"
#include "simulator/network.hpp"
#include "training/exchange/gradient_exchange.hpp"

namespace arlab::bench {

/// One network of a study.
struct VirtualNetwork {
  double bandwidth = 0;  ///< of a rank's port, bytes per second; 0: by topology
  Time latency{};        ///< of a message
  std::string topology;  ///< empty: one port per rank
};

struct VirtualRun {
  /// The settings of --compute that only virtual ranks have.
  static constexpr std::string_view kSettings[] = {"--compute speed", "--compute slowdown",
                                                   "--compute jitter", "--compute codec"};

  std::vector<std::string> specs;  ///< of --network, as given: rates of ports and topologies
  std::vector<double> slowdown;    ///< one for all, or by rank; 1 for those beyond
  double jitter = 0;
  std::string speed = "1T", codec_cost = "measured";

  /// Throws Error(usage) that names the bad value, also of options that are not used.
  void check_values() const;
  /// Returns at least one. Throws Error(usage) that names the bad value.
  std::vector<VirtualNetwork> networks() const;
  /// Returns the networks as words of --network; at least one, 10G.
  std::vector<std::string> network_words() const;
  /// Returns the factor of each of this many ranks; empty if none were given.
  std::vector<double> slowdown_on(Rank ranks) const;
  /// Returns multiply-adds per second of a worker.
  double parsed_speed() const;
  /// Returns the cost of the compressor, if there is one: as given, or measured once.
  training::CodecCost codec_of(const training::GradientOptions& gradients, Count elements) const;

  /// Returns the cost that was given. Throws Error(usage) if it is not a cost.
  training::CodecCost given_codec_cost() const;

  /// Returns emulated ranks on that network, as a backend.
  collectives::Backend backend(const VirtualNetwork& network, std::uint64_t seed) const;
};

}  // namespace arlab::bench
