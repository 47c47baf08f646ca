#include "training/cluster/cluster.hpp"

#include "algorithms/base/error.hpp"
#include "training/cluster/slurm.hpp"
#include "training/cluster/tf_config.hpp"

namespace arlab::training {

std::string_view name(Task task) {
  constexpr std::string_view kNames[] = {"chief", "worker", "ps", "evaluator"};
  return kNames[static_cast<int>(task)];
}

std::string_view host_of(std::string_view address) { return address.substr(0, address.rfind(':')); }

Cluster cluster_of(const MpiPlace& place) {
  Cluster c;
  c.told_by = "MPI";
  c.index = c.rank = place.rank;
  c.workers = place.size;
  c.chief = place.rank == 0;
  c.local_rank = place.local_rank;
  c.local_workers = place.local_size;
  return c;
}

Cluster cluster_of(const std::vector<HostSlots>& hosts, Rank rank, int port_base) {
  Cluster c;
  c.told_by = "-H";
  for (const HostSlots& h : hosts) {
    const Rank first = static_cast<Rank>(c.addresses.size());
    if (port_base < 1 || port_base + h.slots - 1 > 65535)
      fail(Blame::usage, "port base " + std::to_string(port_base) + " leaves no ports for the " +
                             std::to_string(h.slots) + " workers of " + h.host +
                             ": ports end at 65535");
    for (Rank slot = 0; slot < h.slots; ++slot)
      c.addresses.push_back(h.host + ':' + std::to_string(port_base + slot));
    if (rank < first || rank >= first + h.slots) continue;
    c.local_rank = rank - first;
    c.local_workers = h.slots;
  }
  c.workers = static_cast<Rank>(c.addresses.size());
  if (rank < 0 || rank >= c.workers)
    fail(Blame::usage, "there is no rank " + std::to_string(rank) + " among the " +
                           std::to_string(c.workers) + " slots of the hosts");
  c.index = c.rank = rank;
  c.chief = rank == 0;
  return c;
}

Cluster resolve_cluster(const Environment& environment, const std::optional<MpiPlace>& mpi,
                        const ClusterOptions& options) {
  std::optional<Cluster> told;
  if (const auto config = environment("TF_CONFIG"); config && !config->empty())
    told = parse_tf_config(*config);
  else if (environment("SLURM_PROCID") && environment("SLURM_STEP_NODELIST"))
    told = cluster_of_slurm(environment, options);
  const bool many = mpi && mpi->size > 1;
  if (!told) return mpi ? cluster_of(*mpi) : Cluster{};
  if (many && (told->rank != mpi->rank || told->workers != mpi->size))
    fail(Blame::usage, told->told_by + " says " + std::string(name(told->task)) + ' ' +
                           std::to_string(told->index) + " of " + std::to_string(told->workers) +
                           " that train, but MPI says rank " + std::to_string(mpi->rank) + " of " +
                           std::to_string(mpi->size) +
                           ": start all of them one way, or unset the variables of the other");
  return *told;
}

}  // namespace arlab::training
