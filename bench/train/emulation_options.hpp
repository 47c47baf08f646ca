// Training on virtual ranks, as command lines say it: the network that messages travel on, and how
// fast the workers are.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "collectives/communicator.hpp"
#include "simulator/network.hpp"
#include "training/exchange/gradient_exchange.hpp"

namespace CLI {
class App;
}

namespace arlab::bench {

/// One network of a study.
struct VirtualNetwork {
  double bandwidth = 0;  ///< of a rank's port, bytes a second; 0: the topology says
  Time latency{};        ///< of a message
  std::string topology;  ///< empty: each rank has a port of its own, and nothing else is shared
};

struct VirtualRun {
  std::vector<std::string> bandwidths;  ///< as given; empty: 10G
  std::string latency, topology;        ///< as given; empty: 20us; ports
  std::vector<double> slowdown;         ///< by rank; 1 for those beyond
  double jitter = 0;
  std::string speed = "1T", codec_cost = "measured";

  void add(CLI::App& command);
  bool any() const;
  /// At least one. Throws Error(usage) that names the bad value.
  std::vector<VirtualNetwork> networks() const;
  /// Multiply-adds a second of a worker.
  double parsed_speed() const;
  /// Of the compressor, if there is one: as given, or measured here once for each.
  training::CodecCost codec_of(const training::GradientOptions& gradients, Count elements) const;

  /// Runs `body` on so many virtual ranks. Returns the virtual seconds until the last has ended.
  double run(const VirtualNetwork& network, Rank ranks, std::uint64_t seed,
             const std::function<void(collectives::Communicator&)>& body) const;
};

}  // namespace arlab::bench
