// Cluster: who takes part in a training job, and which of them this process is.
//
// It is told by TF_CONFIG, by Slurm, by MPI or by a list of hosts; nothing is asked of the network.
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
  ps,         ///< a parameter server: keeps variables
  evaluator,  ///< only evaluates checkpoints
};

std::string_view name(Task task);

struct Cluster {
  std::string source = "nobody";  ///< TF_CONFIG, Slurm, MPI, -H; nobody: a process on its own
  Task task = Task::worker;
  int index = 0;                           ///< among those of its task
  bool chief = true;                       ///< the one that writes; the first of those that train
  Rank workers = 1;                        ///< how many train, chief included
  Rank rank = 0;                           ///< among those; -1 for servers and evaluators
  Rank local_rank = 0, local_workers = 1;  ///< among those that train on this host
  std::vector<std::string> addresses;      ///< host:port by rank; none where MPI connects
  std::vector<std::string> servers;        ///< host:port of the parameter servers
  std::vector<int> devices;                ///< numbers of the GPUs meant for this process
};

/// The place that TF_CONFIG gives, else Slurm's, else that of a process on its own.
Cluster resolve_cluster(const Environment& environment);

/// The host of host:port, where [::1]:port is one of IPv6.
std::string_view host_of(std::string_view address);

}  // namespace arlab::training
