// nccl: messages between GPUs through NCCL, and its own allreduce as a baseline.
//
// The messages of a step are one group of ncclSend and ncclRecv. All lanes share the communicator,
// so one group has the messages of all lanes: with a group per lane, two lanes could wait for each
// other. Each algorithm of NCCL's own that is asked for has one more communicator
// (library_choice.hpp).
//
// nccl.h is included in nccl_comm.hpp only.
#pragma once

#include <memory>
#include <string>

#include "collectives/communicator.hpp"
#include "collectives/gpu/rank_executor.hpp"

namespace arlab::collectives {

/// The version of the linked NCCL library, such as "2.28.9".
std::string nccl_version();

/// Connects the ranks of `control`, each with its device. All ranks call it together. Throws
/// Error(environment) with NCCL's text, or after `to_start`; later calls throw after `patience`.
std::unique_ptr<DeviceTransport> nccl_transport(
    Communicator& control, Device& device,
    RankExecutor::Seconds patience = RankExecutor::Seconds(60),
    RankExecutor::Seconds to_start = RankExecutor::Seconds(60));

}  // namespace arlab::collectives
