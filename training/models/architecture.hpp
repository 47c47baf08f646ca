// Architecture: a model in the catalog, and how to make replicas of it.
//
// To add one, write training/models/catalog/<name>.cpp with `Architecture <name>()` in namespace
// arlab::training::architecture_catalog, and one test.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>

#include "training/replica/replica.hpp"

namespace arlab::training {

/// Sums the span over all workers in place; every worker calls it with the same number of elements.
using SumOverWorkers = std::function<void(std::span<float>)>;

struct ReplicaSetup {
  std::uint64_t seed = 1;  ///< equal seeds give equal weights
  /// Sums the statistics of batch normalization over the batches of all workers; null: each worker
  /// uses its own batch.
  SumOverWorkers sum_over_workers = {};
  bool cuda = false;  ///< computes on a GPU
  /// This worker's position on its machine: workers take the visible GPUs in turn.
  Rank local_rank = 0;
  /// Of the device that it computes on, where weights and gradients then lie; null: on the host.
  std::shared_ptr<const DeviceMath> math = nullptr;
};

struct Architecture {
  std::string_view name;  ///< the file's stem
  std::string_view summary;
  std::string_view source;
  Count channels = 1, height = 1, width = 1;  ///< of a sample
  Count classes = 10;
  Count parameters = 0;  ///< number of trained parameters
  std::unique_ptr<Replica> (*make)(const Architecture&, const ReplicaSetup&) = nullptr;

  Count inputs() const { return channels * height * width; }
};

/// Returns every model of training/models/catalog, by name.
std::span<const Architecture> architectures();

/// Throws Error(usage) naming the nearest model if the name is unknown.
const Architecture& find_architecture(std::string_view name);

/// Throws Error(environment) if the device does not exist.
std::unique_ptr<Replica> make_replica(const Architecture& architecture, const ReplicaSetup& setup);

/// Sets the number of framework threads per worker of this process; call it on each worker's
/// thread.
void use_threads(int threads);

}  // namespace arlab::training
