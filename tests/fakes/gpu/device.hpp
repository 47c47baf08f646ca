// Devices that are this processor: their streams are queues, worked off by threads.
//
// For testing what is written against the seam (device.hpp), so it is as unforgiving as a GPU:
// streams run at once and as fast as they happen to, waiting for an event that was never recorded
// waits for nothing, a captured graph runs in any order that its edges allow.
#pragma once

#include <cstdint>

#include "collectives/gpu/device.hpp"

namespace arlab::collectives {

struct HostDeviceOptions {
  int count = 1;
  bool peers = true;  ///< whether devices read one another's memory
  /// Not 0: streams pause now and then, and graphs run in an arbitrary order; by this seed.
  std::uint32_t disorder = 0;
};

Devices host_devices(const HostDeviceOptions& options = {});

}  // namespace arlab::collectives
