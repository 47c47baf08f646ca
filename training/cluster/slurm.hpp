// Slurm: derives the cluster from the variables that srun sets.
//
// SLURM_STEP_NODELIST and SLURM_STEP_TASKS_PER_NODE define all tasks and their hosts, SLURM_PROCID
// this one. A port is a fixed base plus the task's number on its host. The GPUs of a host are divided
// among its tasks in order. https://slurm.schedmd.com/srun.html, section OUTPUT ENVIRONMENT VARIABLES
#pragma once

#include "training/cluster/cluster.hpp"

namespace arlab::training {

/// Throws Error(usage) naming the variable and its invalid value.
Cluster parse_slurm(const Environment& environment);

}  // namespace arlab::training
