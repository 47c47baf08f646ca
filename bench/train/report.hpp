// What a training run is told as: a row of a table, a sentence about its communication, a record.
#pragma once

#include <string>
#include <vector>

#include "bench/results/record.hpp"
#include "bench/train/run.hpp"

namespace arlab::bench {

/// One row a run; with the speed-up where there is a run of the same model with one worker.
std::string train_table(const std::vector<TrainResult>& results);

/// All epochs of this start of the program.
training::EpochReport total(const TrainResult& result);
/// 0 where there are no samples.
double accuracy(const training::BatchResult& outcome);

/// Where the time of a step went.
std::string train_story(const TrainResult& result);

/// "kind": "train". Its epochs are an array.
Json train_record(const TrainResult& result, const TrainOptions& options);

}  // namespace arlab::bench
