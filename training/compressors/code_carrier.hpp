// CodeCarrier: moves codes between ranks, from the memory in which they are made.
//
// Codes in host memory travel in the rounds of a communicator (here); those in a device's memory
// over the network that joins the devices, or through host memory
// (training/exchange/device_carriers.hpp).
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "algorithms/algorithm.hpp"
#include "collectives/counting_communicator.hpp"
#include "collectives/host/gatherv.hpp"

namespace arlab::training {

/// The algorithms that move codes.
struct Routes {
  const Algorithm* allreduce = &find_algorithm("ring");
  const Algorithm* all_gather = &find_algorithm("ring");
  Rank root = 0;  ///< the master, for algorithms that have one
};

/// All ranks call a function together.
struct CodeCarrier {
  /// Sums all ranks' codes, in place.
  std::function<void(std::span<std::byte> code, collectives::Operand)> allreduce;
  /// Returns where parts of these sizes begin in memory for all_gather(), then where that ends.
  std::function<std::vector<Count>(std::span<const Count> sizes)> begins;
  /// Part r begins at begins[r]. On entry `all` holds this rank's part, on return all parts.
  std::function<void(std::span<const Count> begins, std::span<std::byte> all)> all_gather;
  /// Sends and receives these messages.
  std::function<void(std::span<const collectives::ByteMessage>)> exchange;

  struct Carried {
    collectives::Traffic sent;
    double seconds = 0;
  };
  /// Returns what it has carried since the last call, other than over the communicator of a run.
  std::function<Carried()> take_carried;
};

/// Over a communicator, on host memory. Communicator and routes must outlive it.
CodeCarrier host_carrier(collectives::Communicator& communicator, const Routes& routes);

}  // namespace arlab::training
