// The steps of a run: which samples a rank takes, how many steps it makes, and how many of the
// first ones its rates leave out.
#pragma once

#include <string>

#include "bench/training/train/options/options.hpp"
#include "bench/training/train/run.hpp"
#include "training/data/sampler.hpp"

namespace arlab::bench {

/// Returns what rank `rank` of the workers reads of these data: training data, or validation data,
/// each of which one worker reads once.
training::Sampling training_samples(const TrainOptions& options, const TrainConfig& config,
                                    const training::Dataset& data, Rank rank);
training::Sampling validation_samples(training::Sampling sampling, const training::Dataset& data);

/// Throws Error(usage) unless all workers have as many samples as each other in each step: all take
/// part in every pass of synchronized batch normalization.
void check_equal_shares(const training::Sampling& sampling);

/// Sets the epochs: if only a number of steps was given, they are as many as it needs. The learning
/// rate decays until the last step.
void set_epochs(training::TrainerOptions& learning, const TrainOptions& options,
                Count steps_of_epoch);
/// Returns how many steps a run of these options ends after.
Count last_step(const training::TrainerOptions& learning, Count steps_of_epoch);
/// Returns a note if the epochs end before the number of steps; empty if they do not.
std::string note_on_steps(const training::TrainerOptions& learning, Count steps_of_epoch);

/// Returns whether saving between epochs changes what is learned, as all workers then wait for each
/// other's gradients and average their weights.
bool learns_with_checkpoints(const TrainConfig& config);
/// Returns a note on checkpoints that change what is learned, or come later than asked for; empty
/// if there are none.
std::string note_on_checkpoints(const TrainOptions& options, const TrainConfig& config);

/// Returns the number of first steps that the rates of a run of so many steps leave out: ranks
/// start and caches fill in them, or codes are larger than later.
Count steps_left_out(const TrainOptions& options, const TrainConfig& config, Count steps);
/// Returns sentences on that; empty if nothing is left out and codes are never larger.
std::string explain_left_out(const TrainResult& result);

/// Returns a sentence on the threads that made batches; empty if there were none.
std::string explain_input(const TrainResult& result);

/// Makes the samples of so many steps after the first ones, which the data set keeps, so that no
/// step waits for them.
void make_samples(const training::Dataset& data, const training::Sampling& sampling, Count first,
                  Count steps);

}  // namespace arlab::bench
