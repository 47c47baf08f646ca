// What NCCL tells in its log about the algorithm and protocol that it chose for an allreduce.
#pragma once

#include <string>
#include <string_view>

#include "algorithms/problem.hpp"

namespace arlab::collectives {

/// Such as "RING LL128, 16 channels", from the last line of the log about an allreduce of so many
/// bytes; empty if there is none.
std::string chosen_in_log(std::string_view log, Count bytes);

/// The log that this process writes when it runs with NCCL_DEBUG=INFO, NCCL_DEBUG_SUBSYS=TUNING and
/// NCCL_DEBUG_FILE set; empty where it does not.
std::string tuning_log();

}  // namespace arlab::collectives
