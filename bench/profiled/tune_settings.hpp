// Tuning of training: settings of the gradient exchange are searched in simulation, and the best ones are
// confirmed by replays.
#pragma once

#include <string>
#include <vector>

#include "bench/profiled/replay_options.hpp"
#include "bench/profiled/replay_run.hpp"

namespace arlab::bench {

/// One setting: the words of --algorithm, --scheduler and --compressor.
struct ExchangeSetting {
  std::string algorithm, scheduler = "buckets", compressor = "none";
  double simulated = 0;  ///< seconds per step
};

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

/// Simulates all settings of the strategy on so many workers. Every process of a job gets the same. Throws
/// Error(usage) if none can be simulated.
SettingsSearch search_settings(const ReplayOptions& options, const SearchSpace& space,
                               const std::string& strategy, Rank workers);

/// A setting that was replayed.
struct ConfirmedSetting {
  ExchangeSetting setting;
  ReplayResult result;
};

/// Returns the index of the setting to use: the fastest, but the first one, which is the default, unless
/// another one saves more than 1% of the step.
std::size_t choose_setting(const std::vector<ConfirmedSetting>& confirmed);

std::string tuning_table(const std::vector<ConfirmedSetting>& confirmed);

/// Returns the file for `arlab train --settings`.
std::string settings_text(const std::vector<ConfirmedSetting>& confirmed, std::size_t chosen);

}  // namespace arlab::bench
