// Probe of GPUs: pairs send from the memory of one to that of the other, as NCCL's collectives do.
#pragma once

#include "bench/hunt/search/probe.hpp"
#include "collectives/executor.hpp"

namespace arlab::bench {

inline constexpr Bytes kMostDeviceBytes = Bytes{64} << 20;

/// Returns a probe of the ranks' devices, whose latencies have the start of the two sends. All
/// ranks make one, and use it in the same order; all get the same times. The executor must outlive
/// it. bytes: of the largest message, and of what devices copy and add alone. Throws Error(usage)
/// if the backend sends no messages from device to device.
hunt::Probe device_probe(collectives::Executor& executor, Bytes bytes);

}  // namespace arlab::bench
