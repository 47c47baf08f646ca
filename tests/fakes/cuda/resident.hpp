// Grids of cooperative launches: all their blocks are resident at once, on all devices, and may
// wait for one another through memory.
//
// Their threads take turns at atomic accesses and at barriers, in an order drawn at random. The
// device's clock passes only while nothing else happens, so that waits in vain end at once.
#pragma once

#include <cuda_runtime_api.h>

#include <functional>
#include <source_location>

#include "tests/fakes/cuda/tasks.hpp"

namespace arlab::fake_cuda {

/// Adds a grid, whose task ends when all its threads have ended.
void add_resident(const cudaLaunchConfig_t& config, std::function<void()> thread,
                  const TaskPtr& task);
bool any_resident();
/// Runs threads of all grids, until all have ended or none gets on. `time_passes`: there is nothing
/// else to run, so the clock moves on, and what waits for ever is reported.
void run_residents(bool time_passes);
void forget_residents();

/// Whether the thread that runs is one of a resident grid; then the next two are for it.
bool is_resident();
bool resident_barrier(bool value, std::source_location where);

}  // namespace arlab::fake_cuda
