// The ranks of a training in a job: which strategy suits where they are, and how many are workers.
#pragma once

#include <span>
#include <string>

#include "bench/measure/job.hpp"
#include "training/trainer/options.hpp"

namespace arlab::bench {

/// Returns the strategy's name for ranks that are placed so; `asked` may be empty. Throws
/// Error(usage) if the one that was asked for cannot be there.
std::string strategy_on(const std::string& asked, collectives::Placement placement);

struct TrainingRanks {
  Rank workers = 0;
  Rank ranks = 0;  ///< workers and servers
};

/// Returns how many ranks this training has in the job: `workers` and its servers, or all of the
/// job if nobody `asked` for numbers of workers. Of these, the largest needs the whole job;
/// trainings of others run on_first() ranks of it. Throws Error(usage) if the job or the backend
/// has another number.
TrainingRanks training_ranks(const Job& job, const Job::Backend& backend,
                             const training::TrainerOptions& learning, Rank workers,
                             std::span<const Rank> asked);

/// Bytes of memory that this machine has.
double machine_memory();

}  // namespace arlab::bench
