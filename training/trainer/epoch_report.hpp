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
  Count bytes_sent = 0;  ///< by this rank, in collectives and messages that ended
  /// Forward and backward passes and the optimizer, without any waiting.
  double compute() const { return seconds - input - exposed; }
};

/// The cost of steps of all workers.
struct StepCosts {
  Count steps = 0, samples = 0;                                   ///< samples: over all workers
  double seconds = 0, input = 0, exposed = 0, communication = 0;  ///< each of the slowest worker
  double compute = 0, codec = 0;                                  ///< codec: part of communication
  Count bytes_sent = 0;                                           ///< by all ranks

  StepCosts& operator+=(const StepCosts& other);
};

/// What all workers did in an epoch, or in the part of it after a resume or the report before.
struct EpochReport : StepCosts {
  Count epoch = 0;
  BatchResult train, validation;  ///< over all workers
  StepCosts timed;                ///< without the run's first Observer::leave_out
};

/// What one worker has done since a point in time.
struct OwnCosts {
  Count steps = 0, samples = 0;
  double seconds = 0, input = 0;
  Exchange::Usage used;

  OwnCosts operator-(const OwnCosts& before) const;
};

/// These functions combine the values of all ranks. Every rank calls them and gets the same bits.
double sum(collectives::Communicator& communicator, double value);
BatchResult sum(collectives::Communicator& communicator, const BatchResult& own);
Staleness sum(collectives::Communicator& communicator, const Staleness& own);
/// Servers contribute only bytes.
StepCosts combine(collectives::Communicator& communicator, const OwnCosts& own, bool is_worker);

}  // namespace arlab::training
