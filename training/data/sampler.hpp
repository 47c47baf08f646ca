// Sampler: selects each worker's samples in each step, so that n workers see the same data as one.
//
// The seed determines the order of all samples in each epoch. A global batch is the next part of that
// order, and each worker takes one block of it: 4 workers with 8 samples per step and 1 worker with 32
// train on the same batches. A step depends only on the seed, the epoch and the step, so a position is
// two numbers, and seeking costs nothing.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/problem.hpp"

namespace arlab::training {

/// How samples are divided among workers; the names are those of tf.data.
enum class Sharding : std::uint8_t {
  data,  ///< cuts each global batch into blocks, one per worker
  file,  ///< worker r reads only files r, r + n, ...
  off,   ///< each worker visits all samples, in its own order
};

std::string_view name(Sharding sharding);
/// Throws Error(usage) for names other than data, file and off.
Sharding find_sharding(std::string_view text);

struct Sampling {
  Count samples = 0;
  std::vector<Count> files = {};  ///< as in Dataset; for Sharding::file
  Count global_batch = 32;        ///< samples of all workers together
  Rank workers = 1;
  Rank rank = 0;
  Sharding sharding = Sharding::data;
  std::uint64_t seed = 1;
  bool shuffle = true;
  bool drop_remainder = true;  ///< skips the last global batch of an epoch if it is short
};

/// The next step of the data; part of a checkpoint.
struct Position {
  Count epoch = 0;
  Count step = 0;  ///< within the epoch
  bool operator==(const Position&) const = default;
};

/// Returns a text that must be the same on all workers and after a resume: two runs with equal texts
/// use the same samples in the same steps. With sharding by data, the number of workers may differ.
std::string to_string(const Sampling& sampling);

/// The samples of one worker in one step.
struct Share {
  Position position;
  Count global = 0;            ///< samples of all workers in this step
  std::vector<Count> indices;  ///< of this worker; may be empty in a short last batch
};

class Sampler {
 public:
  /// Throws Error(usage) if no step is possible: fewer samples than a batch, a batch smaller than the
  /// number of workers, or fewer files than workers.
  explicit Sampler(Sampling sampling);

  /// Returns the number of steps in an epoch, the same on all workers.
  Count steps() const { return steps_; }

  /// Returns the samples of any step of any epoch. Shuffling gives each epoch a different order.
  Share share(Position position);

  Position after(Position position) const;

  const Sampling& sampling() const { return sampling_; }

 private:
  void order_epoch(Count epoch);

  Sampling sampling_;
  Count steps_ = 0;
  std::vector<Count> pools_;  // samples that each worker draws from
  std::vector<Count> mine_;   // samples of this worker, unshuffled
  std::vector<Count> order_;  // in this epoch
  Count ordered_epoch_ = -1;
};

}  // namespace arlab::training
