// The options of simulated training.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bench/training/profiled/scale_network.hpp"
#include "bench/training/training_spec.hpp"
#include "training/exchange/gradient_options.hpp"
#include "training/profiles/model_profile.hpp"
#include "training/trainer/options.hpp"

namespace CLI {
class App;
}

namespace arlab::bench {

struct ScaleOptions : TrainingSpec {
  std::string model = "profile:resnet50";
  int steps = 12;

  ScaleOptions();
  /// Adds --model, of a profile. `more` ends what its help says that it takes.
  void add_model(CLI::App& app, const char* more = "");
  /// Sets what real training has, too: the strategy, its parameters, and groups and segments.
  void set_strategy(const training::TrainerOptions& learning);
  /// Returns the profile of --model, with the batch of each worker, and the compute time of the
  /// first --compute gpu. Throws Error(usage) that names the bad value.
  training::ModelProfile profile() const;
  /// The same for one model and one GPU; no text: the profile's.
  training::ModelProfile profile_of(const std::string& which, const std::string& gpu) const;
  /// Returns that profile with this worker's part of --batch; unchanged without one. Throws
  /// Error(usage) if the parts are not equal.
  training::ModelProfile on_each(const training::ModelProfile& profile, Rank all_workers) const;
  /// Returns what the fastest worker alone, which updates all parameters, takes for a worker's
  /// samples of a step, in picoseconds: with --batch, a worker's part of the step with all samples;
  /// with jitter, in the mean.
  double alone(const training::ModelProfile& profile, Rank all_workers) const;
  std::vector<ScaleNetwork> parsed_networks() const;

  /// Throws Error(usage) for an option that changes nothing, if these are used.
  void check_effects(const std::vector<std::string>& algorithms,
                     const std::vector<std::string>& compressors) const;

  /// Returns the time of --compute codec, or that of the bytes that the compressor moves in the
  /// memory of the profile's GPU.
  training::CodecCost codec_of(const training::CompressorChoice& choice,
                               const training::ModelProfile& profile) const;

  /// Returns a plan of this many workers, and of the strategy's servers, without network. Throws
  /// Error(usage) that names the bad value.
  training::TrainingPlan plan(const training::ModelProfile& profile, const std::string& scheduler,
                              const std::string& compressor, Rank all_workers) const;

  /// Returns networks of the plan's ranks, and sets its groups, its grid, and the time of the
  /// optimizer, which updates a shard if the strategy is sharded. `network` must outlive them.
  training::MakeNetwork place(training::TrainingPlan& plan, const training::ModelProfile& profile,
                              const ScaleNetwork& network,
                              const simulator::Machine* refit = nullptr) const;
};

/// Returns what --batch means on these numbers of workers, since it was per worker once; empty if
/// it was not given, or there is one worker.
std::string note_on_batch(Count batch, std::span<const Rank> workers);

/// Returns whether the codes have fewer bytes than the profile's gradients: those of 2 bytes per
/// element have as many as bfloat16.
bool shrinks(const training::ModelProfile& profile, const training::CompressorChoice& choice);

/// Returns the algorithm of a word; any for a strategy that uses none; of "auto", the fastest for a
/// bucket of gradients of those that support the plan's collectives.
const Algorithm& choose_algorithm(const std::string& word, const training::TrainingPlan& plan,
                                  const training::MakeNetwork& network);

}  // namespace arlab::bench
