#include "bench/training/train/roles.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "algorithms/base/error.hpp"
#include "bench/text/units.hpp"
#include "training/cluster/cluster.hpp"

namespace arlab::bench {
namespace {

using training::Cluster;
using training::Task;

// Within an allocation, mpirun starts its own helpers as a step of Slurm, whose variables ranks
// inherit: the size of the MPI job is that of the job.
Cluster cluster_of(const Job& job) {
  const bool by_mpi = job.ranks() > 1 || std::getenv("OMPI_COMM_WORLD_SIZE");
  return training::resolve_cluster([by_mpi](const std::string& variable) {
    if (by_mpi && variable.starts_with("SLURM_")) return std::optional<std::string>();
    return training::process_environment(variable);
  });
}

Rank servers_of(const Cluster& c) { return static_cast<Rank>(c.servers.size()); }

std::string hosts_of(const Cluster& c) {
  std::string hosts;
  for (const auto* list : {&c.addresses, &c.servers})
    for (const std::string& address : *list)
      hosts += fmt::format("{}{}", hosts.empty() ? "" : ",", training::host_of(address));
  return hosts.empty() ? hosts : " -H " + hosts;
}

// Chief and workers come first, then the parameter servers.
Rank rank_of(const Cluster& c) {
  return c.task == Task::ps ? c.workers + static_cast<Rank>(c.index) : c.rank;
}

void expect_job_of(const Cluster& c, const Job& job) {
  if (c.task == Task::evaluator)
    fail(Blame::usage,
         "TF_CONFIG says that this is an evaluator, but the workers evaluate after each epoch: "
         "start the chief, the workers and the ps only");
  const Rank ranks = c.workers + servers_of(c);
  if (ranks != std::max<Rank>(1, job.ranks()))
    fail(Blame::usage,
         fmt::format("{} names {} workers and servers, but this {}: start all of them as one job, "
                     "`mpirun -n {}{} arlab train ...`, or unset its variables",
                     c.source, ranks,
                     job.ranks() == 0
                         ? std::string("process is not part of an MPI job")
                         : fmt::format("MPI job has {}", show_plural(job.ranks(), "rank")),
                     ranks, hosts_of(c)));
  if (c.source == "TF_CONFIG" && rank_of(c) != job.rank())
    fail(Blame::usage,
         fmt::format("TF_CONFIG says that this is {} {}, which is rank {} (chief and workers come "
                     "first, then ps), but it is rank {} of the MPI job: set the task of each "
                     "process by its rank, or unset TF_CONFIG",
                     name(c.task), c.index, rank_of(c), job.rank()));
}

}  // namespace

void take_roles(TrainOptions& options, const Job& job) {
  const Cluster c = cluster_of(job);
  if (c.source == "nobody") return;
  expect_job_of(c, job);
  if (c.source != "TF_CONFIG") return;
  const Rank servers = servers_of(c);
  if (servers > 0 && options.strategy.spec.empty()) options.strategy.spec = "parameter_server";
  const std::string strategy = options.strategy.name();
  const bool served = !strategy.empty() && training::find_strategy(strategy).has_servers;
  if (served != (servers > 0))
    fail(Blame::usage,
         fmt::format("TF_CONFIG has {} ps, but strategy {} needs {}: change one of them",
                     servers == 0 ? std::string("no") : std::to_string(servers), strategy,
                     served ? "at least one" : "none"));
  if (served) {
    const Values given = options.strategy.values_of(training::find_strategy(strategy));
    const auto asked = given.find("servers");
    if (asked != given.end() && asked->second != servers)
      fail(Blame::usage, fmt::format("TF_CONFIG has {} ps, but the strategy has servers={}: leave "
                                     "servers out",
                                     servers, asked->second));
    options.strategy.fixed = {{"servers", servers}};
  }
  if (!options.workers.empty() && options.chosen_workers() != std::vector<Rank>{c.workers})
    fail(Blame::usage, fmt::format("TF_CONFIG has {}, but --workers asks for others: leave "
                                   "--workers out",
                                   show_plural(c.workers, "worker")));
}

}  // namespace arlab::bench
