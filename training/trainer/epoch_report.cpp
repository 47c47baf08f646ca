#include "training/trainer/epoch_report.hpp"

#include <cmath>
#include <limits>

namespace arlab::training {

// Rank by rank, so that the sum has the same bits on all ranks and in every run. The NaN check
// comes first because max() loses a NaN.
double sum(collectives::Communicator& communicator, double value) {
  if (communicator.sum(std::isnan(value) ? 1 : 0) > 0)
    return std::numeric_limits<double>::quiet_NaN();
  double total = 0;
  for (Rank r = 0; r < communicator.ranks(); ++r)
    total += communicator.max(r == communicator.rank() ? value
                                                       : -std::numeric_limits<double>::infinity());
  return total;
}

BatchResult sum(collectives::Communicator& communicator, const BatchResult& own) {
  return {sum(communicator, own.loss), communicator.sum(own.correct),
          communicator.sum(own.samples)};
}

Staleness sum(collectives::Communicator& communicator, const Staleness& own) {
  const auto max = static_cast<Count>(
      communicator.max(own.empty() ? -1 : static_cast<double>(own.rbegin()->first)));
  Staleness all;
  for (Count s = 0; s <= max; ++s) {
    const auto found = own.find(s);
    if (const Count n = communicator.sum(found == own.end() ? 0 : found->second); n > 0) all[s] = n;
  }
  return all;
}

EpochReport combine(collectives::Communicator& communicator, const EpochReport& own,
                    const Exchange::Usage& used, bool is_worker) {
  EpochReport all = own;
  all.train = sum(communicator, own.train);
  all.seconds = communicator.max(own.seconds);
  all.input = communicator.max(own.input);
  all.exposed = communicator.max(is_worker ? used.exposed : 0);
  all.communication = communicator.max(is_worker ? used.seconds : 0);
  all.codec = communicator.max(is_worker ? used.codec : 0);
  all.compute = communicator.max(is_worker ? own.seconds - own.input - used.exposed : 0);
  all.bytes_sent = communicator.sum(used.bytes);
  return all;
}

}  // namespace arlab::training
