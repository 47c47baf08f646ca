// Slurm: who a process is, from the variables that srun sets.
//
// SLURM_STEP_NODELIST and SLURM_STEP_TASKS_PER_NODE give all tasks and their hosts, SLURM_PROCID
// this one. Ports are a base and the task's number on its host; GPUs of a host are shared out to
// its tasks in order. https://slurm.schedmd.com/srun.html, section OUTPUT ENVIRONMENT VARIABLES
#pragma once

#include "training/cluster/cluster.hpp"

namespace arlab::training {

/// Throws Error(usage) that names the variable and the value that is wrong.
Cluster parse_slurm(const Environment& environment);

}  // namespace arlab::training
