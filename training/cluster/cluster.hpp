// Cluster: the processes of a training job, and which of them this one is.
//
// TF_CONFIG or Slurm's variables define it; it does not use the network.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/problem.hpp"
#include "training/cluster/text.hpp"

namespace arlab::training {

enum class Task : std::uint8_t {
  chief,      ///< a worker that also writes checkpoints and logs
  worker,     ///< trains
  ps,         ///< a parameter server: holds variables
  evaluator,  ///< only evaluates checkpoints
};

std::string_view name(Task task);

struct Cluster {
  std::string source = "nobody";  ///< TF_CONFIG or Slurm; nobody: a single process
  Task task = Task::worker;
  int index = 0;      ///< among processes with the same task
  bool chief = true;  ///< whether it writes files: the first of those that train
  Rank workers = 1;   ///< number of those that train, including the chief
  Rank rank = 0;      ///< among those that train; -1 for servers and evaluators
  Rank local_rank = 0, local_workers = 1;  ///< among those that train on this host
  std::vector<std::string> addresses;      ///< host:port by rank; empty if they are not known
  std::vector<std::string> servers;        ///< host:port of the parameter servers
  std::vector<int> devices;                ///< numbers of this process's GPUs
};

/// Returns the cluster of TF_CONFIG if it is set, else Slurm's, else a single process.
Cluster resolve_cluster(const Environment& environment);

/// Returns the host of host:port; IPv6 addresses are written [::1]:port.
std::string_view host_of(std::string_view address);

}  // namespace arlab::training
