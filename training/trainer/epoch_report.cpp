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

StepCosts& StepCosts::operator+=(const StepCosts& other) {
  steps += other.steps;
  samples += other.samples;
  seconds += other.seconds;
  input += other.input;
  exposed += other.exposed;
  communication += other.communication;
  compute += other.compute;
  codec += other.codec;
  bytes_sent += other.bytes_sent;
  return *this;
}

OwnCosts OwnCosts::operator-(const OwnCosts& before) const {
  return {steps - before.steps, samples - before.samples, seconds - before.seconds,
          input - before.input, used - before.used};
}

StepCosts combine(collectives::Communicator& communicator, const OwnCosts& own, bool is_worker) {
  StepCosts all;
  all.steps = own.steps;
  all.samples = communicator.sum(own.samples);
  all.seconds = communicator.max(is_worker ? own.seconds : 0);
  all.input = communicator.max(own.input);
  all.exposed = communicator.max(is_worker ? own.used.exposed : 0);
  all.communication = communicator.max(is_worker ? own.used.seconds : 0);
  all.codec = communicator.max(is_worker ? own.used.codec : 0);
  all.compute = communicator.max(is_worker ? own.seconds - own.input - own.used.exposed : 0);
  all.bytes_sent = communicator.sum(own.used.bytes);
  return all;
}

}  // namespace arlab::training
