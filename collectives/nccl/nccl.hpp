// nccl: messages between GPUs through NCCL, and its own allreduce as a baseline.
//
// A step's messages are one group of ncclSend and ncclRecv. All lanes share the communicator, so
// all lanes' messages of a step are in the one group: with groups of their own, two lanes could
// wait for each other. Nothing blocks for ever: the communicator is non-blocking, its asynchronous
// errors are polled, and it is aborted on the first one, or when patience is at an end.
//
// nccl.h is included in nccl.cpp only.
#pragma once

#include <memory>
#include <string>

#include "collectives/communicator.hpp"
#include "collectives/gpu/rank_executor.hpp"

namespace arlab::collectives {

/// The version of the NCCL that is linked, such as "2.28.9".
std::string nccl_version();

/// Connects the ranks of `control`, each with the device it gives here; all ranks call it together.
/// Throws Error(environment) with NCCL's own words, or after `patience`.
std::unique_ptr<DeviceTransport> nccl_wires(
    Communicator& control, Device& device,
    RankExecutor::Seconds patience = RankExecutor::Seconds(60));

}  // namespace arlab::collectives
