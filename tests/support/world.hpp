// Shared by tests of emulated ranks: a network with integer times, and messages.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "collectives/communicator.hpp"
#include "simulator/models/model.hpp"
#include "training/emulation/emulated_ranks.hpp"

namespace emulated {

using namespace arlab;
using namespace arlab::simulator;
using namespace arlab::collectives;
using namespace arlab::training;

inline constexpr double kMs = 1e-3;

/// Returns a network in which a message of n bytes takes 1 ms + n us.
inline std::unique_ptr<Network> network(Rank ranks) {
  return make_network(find_model("alpha_beta"),
                      {{"alpha", picoseconds(1000 * kMicrosecond)},
                       {"beta", picoseconds(kMicrosecond)},
                       {"gamma", 0}},
                      ranks);
}

inline EmulationResult run(Rank ranks, const std::function<void(Communicator&)>& body,
                           const EmulationOptions& options = {}) {
  return on_emulated_ranks(*network(ranks), ranks, body, options);
}

/// Returns a transfer of 4-byte elements.
inline Transfer transfer(ActionKind kind, Rank peer, std::vector<float>& values) {
  return {kind, peer, reinterpret_cast<std::byte*>(values.data()),
          static_cast<Count>(values.size())};
}

inline void start(Communicator& c, int lane, const std::vector<Transfer>& round) {
  c.start(lane, round, {});
}

/// Computes in simulated time only.
inline void compute(Communicator& c, double seconds) {
  c.clock().begin_compute(seconds);
  c.clock().end_compute();
}

/// Returns the current time in whole microseconds.
inline Count now_us(Communicator& c) { return static_cast<Count>(c.clock().now() * 1e6 + 0.5); }

/// Returns the message that `use` fails with, or an empty text.
inline std::string failure(const std::function<void()>& use) {
  try {
    use();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

}  // namespace emulated
