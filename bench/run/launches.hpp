// Launches: starts the same measurement several times, as jobs of their own, and compares launches.
//
// A launch has one memory layout and placement, which its runs share. So launches differ by more
// than the runs of one suggest, and the unit of a test is the launch (Hunold and Carpen-Amarie,
// TPDS 27(12), 2016).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "algorithms/problem.hpp"
#include "bench/results/record.hpp"
#include "bench/results/result_file.hpp"

namespace arlab::bench {

/// Returns the launcher's words with the number of ranks instead of {}. Throws Error(usage) if the
/// launcher has no {}.
std::vector<std::string> launcher_words(const std::string& launcher, Rank ranks);

/// Returns the words of a command without these options and their values: "--json", "-o". A value
/// may follow as a word, after '=', or after the letter of a short option.
std::vector<std::string> without_options(const std::vector<std::string>& words,
                                         const std::vector<std::string>& options);

struct LaunchPlan {
  int launches = 1;
  std::vector<std::vector<std::string>> jobs;  ///< of one launch, each without the option --json
  std::string json;                            ///< file for all records; empty: none
  std::string command;                         ///< for their contexts: what was typed
};

struct LaunchResults {
  std::vector<std::vector<Json>> records;  ///< of each launch
  bool wrong = false;                      ///< whether a job found wrong elements
  std::optional<ResultFile> file;          ///< of all records, if there is one
};

/// Runs the jobs of all launches. The file gets the context and the records of each job when it has
/// ended. Throws Error if a job fails; the records of those before are in the file.
LaunchResults run_launches(const LaunchPlan& plan);

}  // namespace arlab::bench
