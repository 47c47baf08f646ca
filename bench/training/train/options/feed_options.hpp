// The options of train that decide which samples a step sees, and how its batches are made.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "training/data/pipeline.hpp"

namespace CLI {
class App;
}

namespace arlab::bench {

struct FeedOptions {
  std::string sharding = "data";
  bool shuffle = true, drop_remainder = true;
  bool augment = false;                       ///< shift and mirror images
  std::optional<std::uint64_t> shuffle_seed;  ///< nothing: the seed of all else
  std::int32_t prefetch = 2;
  std::optional<std::int32_t> threads;  ///< of each worker; nothing: chosen as the run goes

  void add(CLI::App& app);
  /// Throws Error(usage) that names the bad value, also of an option without effect.
  void check_values() const;
  /// Sets what these options decide.
  void apply(training::Sampling& sampling) const;
  /// Returns the threads that make a worker's batches: of `workers` in all that share the
  /// processors of this process. `chooses`: they may be chosen as the run goes.
  training::MakerThreads makers(Rank workers, bool chooses) const;
};

}  // namespace arlab::bench
