// A configuration as an MSCCL program, and what the runtimes that read such programs cannot do.
#pragma once

#include <string>
#include <vector>

#include "bench/config/config.hpp"
#include "bench/formats/msccl/program.hpp"

namespace arlab::bench {

/// Returns the program: a thread block per peer, direction and lane. The steps of a block await
/// those of others only where they use the same chunks. A message of chunks that are not
/// consecutive becomes a message per run. Throws Error(usage) if the lanes' shares need too many
/// chunks.
MscclProgram msccl_program(const Config& config);

/// Returns a sentence for each limit of msccl or RCCL that the program exceeds, and for each
/// condition under which they ignore it silently.
std::vector<std::string> runtime_limits(const MscclProgram& program);

}  // namespace arlab::bench
