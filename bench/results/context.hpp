// Context: the first line of every result file: which program ran where, and by which command.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "bench/results/record.hpp"

namespace arlab::bench {

/// `command`: the command line, as given. `machine`: keys to add or to replace.
Json context(const std::vector<std::string>& command, const Json& machine = {});

/// What the context of runs on GPUs has besides.
struct DeviceContext {
  std::string gpus, links;  ///< names; how they are connected, empty: not known
  double copy_limit = 0;    ///< GB/s, bytes read plus bytes written
  std::string cuda, nccl;   ///< versions; nccl empty: none
};
Json to_json(const DeviceContext& devices);

/// Returns the current time in UTC, such as "2026-11-21T04:00:00Z".
std::string utc_now();

/// Returns the name of this host; "unknown" if it has none.
std::string host_name();

/// Returns the command line, quoted for a shell.
std::string shell_quoted(const std::vector<std::string>& command);

/// Returns the environment variables that are set and change what is measured, by name: how MPI,
/// NCCL, UCX, OpenMP and libfabric communicate, which GPUs are visible, and what binds a process. A
/// fixed list, since the whole environment may hold secrets.
std::map<std::string, std::string> relevant_environment();

}  // namespace arlab::bench
