// The algorithm and protocol that NCCL chose for an allreduce, read from its log.
#pragma once

#include <string>
#include <string_view>

#include "algorithms/problem.hpp"

namespace arlab::collectives {

/// Returns, for example, "RING LL128, 16 channels" from the log's last line about an allreduce of
/// that size; empty if there is none.
std::string chosen_in_log(std::string_view log, Count bytes);

/// Returns the file that NCCL writes for a value of NCCL_DEBUG_FILE: %h is the host's name up to
/// the first dot, %p the process, %% a percent sign (ncclDebugInit of NCCL's src/debug.cc).
std::string tuning_log_file(std::string_view name, std::string_view host, int process);

/// Returns the log of this process; empty unless NCCL_DEBUG=INFO, NCCL_DEBUG_SUBSYS=TUNING and
/// NCCL_DEBUG_FILE are set.
std::string tuning_log();

}  // namespace arlab::collectives
