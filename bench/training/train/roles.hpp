// Roles: which ranks of a job are workers and which are parameter servers, as TF_CONFIG says.
#pragma once

#include "bench/measure/job.hpp"
#include "bench/training/train/options/options.hpp"

namespace arlab::bench {

/// Sets strategy and servers as TF_CONFIG says, if it is set. Throws Error(usage) if it contradicts
/// the MPI job or the options, or if this process, according to it or to Slurm, is one of several
/// that are not part of an MPI job: it would silently train alone.
void take_roles(TrainOptions& options, const Job& job);

}  // namespace arlab::bench
