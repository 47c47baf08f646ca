// Sampler: which samples a worker takes in which step, so that n workers see what one would.
//
// All workers know the seed, and so the order of all samples in each epoch. A global batch is the
// next run of that order, and each worker takes its block of it: 4 workers with 8 samples a step
// and 1 worker with 32 train on the same batches. What a step takes depends on the seed, the epoch
// and the step only, so a position is two numbers, and going back to it costs nothing.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/problem.hpp"

namespace arlab::training {

/// How samples are shared out; the names are those of tf.data.
enum class Sharding : std::uint8_t {
  data,  ///< each global batch is cut in blocks, one for each worker
  file,  ///< worker r reads files r, r + n, ... only
  off,   ///< each worker goes through all samples, in an order of its own
};

std::string_view name(Sharding sharding);
/// Throws Error(usage) for another name than data, file, off.
Sharding sharding_named(std::string_view text);

struct Sampling {
  Count samples = 0;
  std::vector<Count> files = {};  ///< as in Dataset; for Sharding::file
  Count global_batch = 32;        ///< of all workers together
  Rank workers = 1;
  Rank rank = 0;
  Sharding sharding = Sharding::data;
  std::uint64_t seed = 1;
  bool shuffle = true;
  bool drop_remainder = true;  ///< leaves out the last global batch of an epoch if it is short
};

/// Where the data stand: the step that comes next. Goes into checkpoints.
struct Position {
  Count epoch = 0;
  Count step = 0;  ///< in the epoch
  bool operator==(const Position&) const = default;
};

/// What must be the same on all workers, and when a run goes on from a checkpoint: two runs whose
/// texts are equal take the same samples in the same steps, whatever the number of workers where
/// sharding is by data.
std::string agreement(const Sampling& sampling);

/// What one worker takes in one step.
struct Share {
  Position position;
  Count global = 0;            ///< samples that all workers take in this step together
  std::vector<Count> indices;  ///< those of this worker; may be none in a short last batch
};

class Sampler {
 public:
  /// Throws Error(usage) if no step can be made of it: fewer samples than a batch, a batch below
  /// the number of workers, fewer files than workers.
  explicit Sampler(Sampling sampling);

  /// Steps in an epoch; the same on all workers.
  Count steps() const { return steps_; }

  /// Of any step of any epoch. Epochs differ in order if there is a shuffle.
  Share share(Position position);

  Position after(Position position) const;

  const Sampling& sampling() const { return sampling_; }

 private:
  void order_epoch(Count epoch);

  Sampling sampling_;
  Count steps_ = 0;
  std::vector<Count> pools_;  // samples that each worker draws from
  std::vector<Count> mine_;   // those of this worker, unshuffled
  std::vector<Count> order_;  // in this epoch
  Count ordered_epoch_ = -1;
};

}  // namespace arlab::training
