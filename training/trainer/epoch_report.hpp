// Reports of training steps and epochs, and the sums of their values over all ranks.
#pragma once

#include "collectives/communicator.hpp"
#include "training/data/sampler.hpp"
#include "training/exchange/collective_queue.hpp"
#include "training/replica/replica.hpp"
#include "training/strategies/strategy.hpp"

namespace arlab::training {

/// What one step did on this rank; all times in seconds.
struct StepReport {
  Step step;
  Position position;
  BatchResult outcome;  ///< of this worker
  double begin = 0;     ///< on the communicator's clock
  double seconds = 0, input = 0, exposed = 0, communication = 0, codec = 0;
  /// Forward and backward passes and the optimizer, without any waiting.
  double compute() const { return seconds - input - exposed; }
};

/// What all workers did in an epoch, or in the part of it after a resume or the report before.
struct EpochReport {
  Count epoch = 0, steps = 0;
  BatchResult train, validation;                                  ///< over all workers
  double seconds = 0, input = 0, exposed = 0, communication = 0;  ///< each of the slowest worker
  double compute = 0, codec = 0;                                  ///< codec: part of communication
  Count bytes_sent = 0;                                           ///< by all ranks
};

/// These functions combine the values of all ranks. Every rank calls them and gets the same bits.
double sum(collectives::Communicator& communicator, double value);
BatchResult sum(collectives::Communicator& communicator, const BatchResult& own);
Staleness sum(collectives::Communicator& communicator, const Staleness& own);
/// `used`: the cost of this rank's collectives in the epoch. Servers contribute only bytes.
EpochReport combine(collectives::Communicator& communicator, const EpochReport& own,
                    const Exchange::Usage& used, bool is_worker);

}  // namespace arlab::training
