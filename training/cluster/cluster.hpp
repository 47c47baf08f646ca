// Cluster: who takes part in a training job, and which of them this process is.
//
// It is told by TF_CONFIG, by Slurm, by MPI or by a list of hosts; nothing is asked of the network.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/problem.hpp"
#include "training/cluster/host_list.hpp"
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
  std::string told_by = "nobody";  ///< TF_CONFIG, Slurm, MPI, -H; nobody: a process on its own
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

/// MPI's own answer. The local ones from a communicator split by shared memory.
struct MpiPlace {
  Rank rank = 0, size = 1, local_rank = 0, local_size = 1;
};

Cluster cluster_of(const MpiPlace& place);

/// Workers on hosts in order, slot by slot; slot i of a host has the port `port_base` + i. Throws
/// Error(usage) if there is no such rank or port.
Cluster cluster_of(const std::vector<HostSlots>& hosts, Rank rank, int port_base);

struct ClusterOptions {
  int port_base = 12345;
  std::optional<int> gpus_per_node = std::nullopt;  ///< where Slurm does not tell
  std::optional<int> gpus_per_task = std::nullopt;
};

/// The first that speaks: TF_CONFIG, Slurm, MPI, nobody. MPI knows best about ranks where it is
/// given and has more than one: it is an Error(usage) if TF_CONFIG or Slurm disagree with it.
Cluster resolve_cluster(const Environment& environment, const std::optional<MpiPlace>& mpi,
                        const ClusterOptions& options = {});

/// The host of host:port, where [::1]:port is one of IPv6.
std::string_view host_of(std::string_view address);

}  // namespace arlab::training
