// on_staged_ranks: ranks on threads whose vectors travel between host devices that run in disorder.
#pragma once

#include <functional>

#include "collectives/gpu/staged_executor.hpp"
#include "collectives/threads/threads.hpp"
#include "tests/fakes/gpu/device.hpp"
#include "tests/support/round_wires.hpp"

namespace arlab::collectives {

/// Calls `body` on every rank, which has a device of its own.
inline void on_staged_ranks(Rank ranks,
                            const std::function<void(Communicator&, StagedExecutor&)>& body) {
  Devices devices = host_devices({.count = ranks, .peers = false, .disorder = 31});
  on_threads(ranks, [&](Communicator& threads) {
    RoundWires wires(threads);
    StagedExecutor staged(threads, *devices[static_cast<std::size_t>(threads.rank())], wires);
    body(threads, staged);
  });
}

}  // namespace arlab::collectives
