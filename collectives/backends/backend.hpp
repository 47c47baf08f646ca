// Backend: one way to run collectives for real, as an entry of the catalog.
//
// To add one, write collectives/backends/catalog/<name>.cpp with `Backend <name>()` in namespace
// arlab::collectives::backend_catalog, and one test. A backend whose library was not found at build
// time stays in the catalog and gives the reason. Callers choose by these fields, never by the
// name.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "collectives/backends/job.hpp"
#include "collectives/executor.hpp"
#include "collectives/gpu/device_handles.hpp"
#include "collectives/patience.hpp"
#include "collectives/placement.hpp"

namespace arlab::collectives {

struct RunOptions {
  Rank ranks = 1;
  /// How long ranks wait without any progress until they give up. In a job its Job's patience holds
  /// as well.
  Patience patience = {};
};

struct Backend {
  using Body = std::function<void(Executor&)>;

  std::string_view name;  ///< of command lines and records
  std::string_view summary;
  Placement placement = Placement::threads;  ///< of its ranks outside of an MPI job
  bool joins_job = false;                    ///< in an MPI job its ranks are the job's processes
  bool default_alone = false;                ///< the one to choose outside of a job
  bool default_in_job = false;               ///< the one to choose in a job
  bool rank_per_device = false;              ///< max_ranks() is the number of devices
  int vectors_per_rank = 2;                  ///< that the workload keeps where the backend computes

  /// Returns why the backend cannot be used here, and a remedy; empty if it can.
  std::string (*unavailable_reason)() = nullptr;
  /// Returns what it runs on, such as a library's version; empty if there is nothing to add.
  std::string (*note)() = nullptr;
  /// Most ranks that one process can run.
  Rank (*max_ranks)() = nullptr;
  /// The devices whose memory holds the vectors; null: vectors lie in host memory.
  std::vector<DeviceInfo> (*devices)() = nullptr;

  /// Calls `body` once in each process or thread that has ranks, and returns when all have ended.
  /// Throws what a rank throws. Needs an available backend. In a job, options.ranks is its size.
  std::function<void(Job& job, const RunOptions& options, const Body& body)> run;
};

/// All backends, available or not, by name.
std::span<const Backend> backends();

/// Throws Error(usage) with the nearest name if there is none of that name.
const Backend& find_backend(std::string_view name);

/// Returns the backend to use if none was asked for.
const Backend& default_backend(const Job& job);

/// Where the backend's ranks run, in that job or outside of one.
Placement placement_in(const Job& job, const Backend& backend);

}  // namespace arlab::collectives
