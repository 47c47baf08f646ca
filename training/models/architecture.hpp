// Architecture: one catalogue entry of models: what it is for, and how to make a replica of it.
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

/// Adds up the span over all workers, in place; every worker calls it with as many elements.
using SumOverWorkers = std::function<void(std::span<float>)>;

struct ReplicaSetup {
  std::uint64_t seed = 1;  ///< of the weights: the same seed gives the same weights
  /// Whether batch normalisation takes its statistics over the batches of all workers; null: each
  /// worker's own.
  SumOverWorkers sum_over_workers = {};
  bool cuda = false;  ///< on a GPU; weights() and gradients() lie on the host all the same
};

struct Architecture {
  std::string_view name;  ///< the file's stem and the command line's word
  std::string_view summary;
  std::string_view source;
  Count channels = 1, height = 1, width = 1;  ///< of a sample
  Count classes = 10;
  Count parameters = 0;  ///< as papers count them: all that is trained
  std::unique_ptr<Replica> (*make)(const Architecture&, const ReplicaSetup&) = nullptr;

  Count inputs() const { return channels * height * width; }
};

/// Every model of training/models/catalog, by name.
std::span<const Architecture> architectures();

/// Throws Error(usage) naming the nearest model when there is none of that name.
const Architecture& find_architecture(std::string_view name);

/// Throws Error(environment) where there is no such device.
std::unique_ptr<Replica> make_replica(const Architecture& architecture, const ReplicaSetup& setup);

/// How many threads the framework may use in each worker of this process, from this thread on.
void use_threads(int threads);

}  // namespace arlab::training
