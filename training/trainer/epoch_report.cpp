// What all workers together did: sums over ranks, the same on each of them.
#include <cmath>
#include <limits>

#include "training/trainer/trainer.hpp"

namespace arlab::training {

EpochReport Trainer::report(EpochReport own, const Exchange::Usage& used) {
  EpochReport all = own;
  all.train = sum(own.train);
  const double compute = is_worker() ? own.seconds - own.input - used.exposed : 0;
  all.seconds = communicator_.max(own.seconds);
  all.input = communicator_.max(own.input);
  all.exposed = communicator_.max(is_worker() ? used.exposed : 0);
  all.communication = communicator_.max(is_worker() ? used.seconds : 0);
  all.codec = communicator_.max(is_worker() ? used.codec : 0);
  all.compute = communicator_.max(compute);
  all.bytes_sent = communicator_.sum(used.bytes);
  return all;
}

BatchResult Trainer::evaluate(Pipeline* pipeline) {
  BatchResult own;
  if (pipeline) {
    pipeline->seek({});
    for (Count step = 0; step < pipeline->steps(); ++step) {
      const Batch batch = pipeline->next();
      if (batch.samples > 0) own += replica_->evaluate({batch.values, batch.labels});
    }
  }
  return sum(own);
}

// Rank by rank, so that the sum is the same everywhere and every time. A maximum loses a NaN.
double Trainer::sum(double value) {
  if (communicator_.sum(std::isnan(value) ? 1 : 0) > 0)
    return std::numeric_limits<double>::quiet_NaN();
  double total = 0;
  for (Rank r = 0; r < communicator_.ranks(); ++r)
    total += communicator_.max(
        r == communicator_.rank() ? value : -std::numeric_limits<double>::infinity());
  return total;
}

BatchResult Trainer::sum(const BatchResult& own) {
  return {sum(own.loss), communicator_.sum(own.correct), communicator_.sum(own.samples)};
}

Staleness Trainer::staleness() {
  const Staleness own = strategy_->staleness();
  const auto most = static_cast<Count>(
      communicator_.max(own.empty() ? -1 : static_cast<double>(own.rbegin()->first)));
  Staleness all;
  for (Count s = 0; s <= most; ++s) {
    const auto found = own.find(s);
    if (const Count n = communicator_.sum(found == own.end() ? 0 : found->second); n > 0)
      all[s] = n;
  }
  return all;
}

}  // namespace arlab::training
