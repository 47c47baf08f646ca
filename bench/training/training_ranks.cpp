#include "bench/training/training_ranks.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "algorithms/base/error.hpp"
#include "training/trainer/trainer.hpp"

namespace arlab::bench {

using collectives::Placement;

std::string strategy_on(const std::string& asked, Placement placement) {
  const std::string suited = placement == Placement::threads ? "mirrored" : "multi_worker";
  if (asked.empty()) return suited;
  const training::StrategyKind& kind = training::find_strategy(asked);
  const bool fixed = placement == Placement::threads || placement == Placement::processes;
  if (kind.placement && fixed && *kind.placement != placement)
    fail(Blame::usage, fmt::format("strategy {} needs ranks that are {}, but they are {}: use "
                                   "--strategy {}",
                                   kind.name, name(*kind.placement), name(placement), suited));
  return asked;
}

TrainingRanks training_ranks(const Job& job, const Job::Backend& backend,
                             const training::TrainerOptions& learning, Rank workers,
                             std::span<const Rank> asked) {
  const bool served = training::find_strategy(learning.strategy).has_servers;
  const Rank servers = servers_of(learning);
  TrainingRanks all{workers, workers + servers};
  const bool in_processes = job.placement(backend) == Placement::processes;
  if (in_processes) {
    if (job.ranks() == 0)
      fail(Blame::usage, fmt::format("backend {} needs a job: start the program with "
                                     "`mpirun -n {}`",
                                     backend.name, all.ranks));
    if (asked.empty()) {
      all = {training::Trainer::workers_of(learning, job.ranks()), job.ranks()};
    } else if (const Rank most = *std::ranges::max_element(asked); most + servers != job.ranks()) {
      fail(Blame::usage, fmt::format("{} workers{} are {} ranks, but the MPI job has {}: leave out "
                                     "-w, or start it with mpirun -n {}",
                                     most, served ? " with their servers" : "", most + servers,
                                     job.ranks(), most + servers));
    }
  }
  job.check(backend, in_processes ? job.ranks() : all.ranks);
  if (job.placement(backend) == Placement::colocated)
    fail(Blame::usage,
         fmt::format("backend {} has co-located ranks, which cannot train replicas: use --backend "
                     "{}",
                     backend.name, backend_names([](const collectives::Backend& b) {
                       return b.placement != Placement::colocated;
                     })));
  return all;
}

double machine_memory() {
  return static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGE_SIZE));
}

}  // namespace arlab::bench
