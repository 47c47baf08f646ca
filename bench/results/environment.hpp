// The environment variables that change what is measured: a list, never the whole environment, which
// may hold secrets.
#pragma once

#include <map>
#include <string>

namespace arlab::bench {

/// Returns those that are set, by name: how MPI, NCCL, UCX, OpenMP and libfabric communicate, which
/// GPUs are visible, and what binds a process.
std::map<std::string, std::string> relevant_environment();

/// Returns a name for this launch that all its processes share, such as "slurm 4711.0": from the
/// launcher, else from the process; and so another one for each launch.
std::string launch_id();

/// Returns the policy that sets the processors' frequency, such as "performance"; empty if unknown.
std::string frequency_governor();

}  // namespace arlab::bench
