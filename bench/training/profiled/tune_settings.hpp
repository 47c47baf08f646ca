// Tuning of training: settings of the gradient exchange are searched in simulation, and the best
// ones are confirmed by replays.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/training/profiled/replay_options.hpp"
#include "bench/training/profiled/replay_run.hpp"
#include "bench/training/profiled/scale_options.hpp"

namespace arlab::bench {

/// One setting: the words of --algorithm, --scheduler and --compressor.
struct ExchangeSetting {
  std::string algorithm, scheduler = "buckets", compressor = "none";
  double simulated = 0;  ///< seconds per step
};

/// Whether the words are the same.
bool same_setting(const ExchangeSetting& a, const ExchangeSetting& b);

struct SettingsSearch {
  std::vector<ExchangeSetting> settings;  ///< fastest first
  std::size_t left_out = 0;               ///< that cannot be simulated
  std::string reason;                     ///< of the first of them
};

/// What a search tries. An empty list means the usual candidates; compressors, which change what is
/// learned, are tried only if they are given.
struct SearchSpace {
  std::vector<std::string> algorithms, schedulers, compressors{"none"};
};

/// The training that is simulated: its strategy and network are those of `scale`.
struct SearchedTraining {
  ScaleOptions scale = {};
  training::ModelProfile profile = {};
  Rank workers = 1;
  /// Optional: the cost of a compressor; else that of `scale`.
  std::function<training::CodecCost(const std::string& compressor)> codec = {};
};

/// Simulates all settings. Throws Error(usage) if none can be simulated.
SettingsSearch search_settings(const SearchedTraining& searched, const SearchSpace& space);

/// The same for a replay on that number of workers. Every process of a job gets the same.
SettingsSearch search_settings(const ReplayOptions& options, const SearchSpace& space,
                               const training::TrainerOptions& learning, Rank workers);

/// A setting that was replayed.
struct ConfirmedSetting {
  ExchangeSetting setting;
  ReplayResult result;
};

/// Returns the index of the setting to use: the fastest, but the first one, which is the default,
/// unless another one saves more than 1% of the step.
std::size_t choose_setting(const std::vector<ConfirmedSetting>& confirmed);

/// Returns whether it is shorter by more than 1%. Both in one unit.
bool is_worth_it(double before, double after);

std::string tuning_table(const std::vector<ConfirmedSetting>& confirmed);

/// Returns "ring, fifo, topk"; without the compressor if it is dense.
std::string words_of(const ExchangeSetting& setting);

/// Returns the lines of a settings file: those of the options that the strategy uses.
std::string setting_lines(const ExchangeSetting& setting, const training::StrategyKind& strategy);

/// Returns the file for `arlab train --settings`.
std::string settings_text(const std::vector<ConfirmedSetting>& confirmed, std::size_t chosen);

}  // namespace arlab::bench
