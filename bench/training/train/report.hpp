// Reports of a training run: a row of a table, a sentence about its communication, a record.
#pragma once

#include <string>
#include <vector>

#include "bench/results/record.hpp"
#include "bench/training/train/run.hpp"

namespace arlab::bench {

/// Returns one row per run, with the speed-up and the efficiency over a run of the same model with
/// one worker.
std::string train_table(const std::vector<TrainResult>& results);

/// Returns the samples per worker and step: "32", or "21 to 22" if not all have equally many.
std::string local_batch(const TrainConfig& config);

/// Returns the sum of all epochs that this process ran.
training::EpochReport total(const TrainResult& result);
/// Returns the costs of its steps without those that are left out.
training::StepCosts timed(const TrainResult& result);
/// Returns whether its loss is not finite, or far above that of guessing.
bool diverged(const TrainResult& result);
/// Returns which of the trainings diverged, and what to do; empty if none did.
std::string explain_divergence(const std::vector<TrainResult>& results);
/// Returns 0 if there are no samples.
double accuracy(const training::BatchResult& outcome);

/// Returns sentences about where the time of a step went.
std::string explain(const TrainResult& result);

/// Returns which of several trainings had the fastest step and the best accuracy; empty of one.
std::string explain_fastest(const std::vector<TrainResult>& results);

Record train_record(const TrainResult& result, const TrainOptions& options);

}  // namespace arlab::bench
