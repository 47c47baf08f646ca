// Subjects whose vectors are on devices: timed by the devices' own events, checked there, too.
#pragma once

#include <memory>

#include "bench/measure/target.hpp"
#include "collectives/gpu/colocated_executor.hpp"
#include "collectives/gpu/rank_executor.hpp"

namespace arlab::bench {

/// All ranks, as virtual ranks on these devices. As graphs, a schedule is launched at once; else
/// its copies and kernels are enqueued one by one. The devices must outlive it.
std::unique_ptr<BenchmarkTarget> virtual_ranks(collectives::Devices& devices, Rank ranks,
                                               bool as_graphs);

/// One rank with a device of its own. All three must outlive it.
std::unique_ptr<BenchmarkTarget> rank_on_device(collectives::Communicator& control,
                                                collectives::Device& device,
                                                collectives::DeviceTransport& wires);

/// Bytes of device memory that a rank takes in all, scratch not counted.
double device_bytes(const Problem& problem, collectives::Operand operand);

}  // namespace arlab::bench
