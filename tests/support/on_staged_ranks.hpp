// on_staged_ranks: ranks on threads, whose vectors travel between fake GPUs that run in any allowed
// order.
#pragma once

#include <functional>

#include "collectives/gpu/staged_executor.hpp"
#include "collectives/threads/threads.hpp"
#include "tests/fakes/gpu/device.hpp"
#include "tests/support/round_transport.hpp"

namespace arlab::collectives {

/// Calls `body` on every rank, which has its own device.
inline void on_staged_ranks(Rank ranks,
                            const std::function<void(Communicator&, StagedExecutor&)>& body) {
  Devices devices = host_devices({.count = ranks, .peers = false, .disorder = 31});
  on_threads(ranks, [&](Communicator& threads) {
    RoundTransport transport(threads);
    StagedExecutor staged(threads, *devices[static_cast<std::size_t>(threads.rank())],
                          transport);
    body(threads, staged);
  });
}

}  // namespace arlab::collectives
