// What the tests of virtual ranks share: a network whose times are whole numbers, and messages.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "collectives/communicator.hpp"
#include "simulator/models/model.hpp"
#include "training/emulation/emulated_ranks.hpp"

namespace virtually {

using namespace arlab;
using namespace arlab::simulator;
using namespace arlab::collectives;
using namespace arlab::training;

inline constexpr double kMs = 1e-3;

/// A message of n bytes takes 1 ms + n us.
inline std::unique_ptr<Network> network(Rank ranks) {
  return make_network(find_model("alpha_beta"),
                      {{"alpha", picoseconds(1000 * kMicrosecond)}, {"beta", picoseconds(kMicrosecond)}, {"gamma", 0}},
                      ranks);
}

inline EmulationResult run(Rank ranks, const std::function<void(Communicator&)>& body,
                           const EmulationOptions& options = {}) {
  return on_emulated_ranks(*network(ranks), ranks, body, options);
}

/// Of 4 bytes an element.
inline Transfer transfer(ActionKind kind, Rank peer, std::vector<float>& values) {
  return {kind, peer, reinterpret_cast<std::byte*>(values.data()),
          static_cast<Count>(values.size())};
}

inline void start(Communicator& c, int lane, const std::vector<Transfer>& round) {
  c.start(lane, round, {});
}

/// Computes, in virtual time alone.
inline void compute(Communicator& c, double seconds) {
  c.clock().leave(seconds);
  c.clock().arrive();
}

/// The present, in whole microseconds.
inline Count now_us(Communicator& c) { return static_cast<Count>(c.clock().now() * 1e6 + 0.5); }

/// What `use` fails with; empty if it does not.
inline std::string failure(const std::function<void()>& use) {
  try {
    use();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

}  // namespace virtually
