// The plan of `arlab run`: its options, what each configuration would take, and what all ranks must
// agree on.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/measure/measure.hpp"
#include "bench/options/model_options.hpp"
#include "bench/results/run_body.hpp"
#include "bench/run/launched_run.hpp"
#include "bench/run/library_rows.hpp"
#include "bench/sweep/round_size.hpp"
#include "bench/sweep/sweep.hpp"
#include "collectives/backends/backend.hpp"
#include "collectives/patience.hpp"

namespace arlab::bench {

struct RunCommand {
  SweepOptions sweep;
  MeasureOptions measure;
  ModelOptions model;  ///< its machine file predicts each time; none: nothing does
  LibraryNames library;
  std::string backend;
  std::vector<std::string> places, modes, caches;  ///< as given; empty: in, alone, warm
  std::optional<int> repeats{};                    ///< back to back, if streaming; 20 if not given
  LaunchOptions launches;
  std::string samples;          ///< file of all samples; empty: none
  std::vector<int> processors;  ///< to bind ranks to; empty: they stay unbound
  RoundSizes rounds;
  RunBody stated{};  ///< what options say of every record
  collectives::Patience patience;
};

/// Estimates what a configuration takes: the vector and its input on every rank of this machine,
/// and received elements to be reduced.
Estimate estimate(RunCommand& command, const collectives::Backend& backend, const Config& config);

/// Prints what --dry-run prints.
void print_plan(RunCommand& command, const collectives::Backend& backend,
                const std::vector<Config>& configs);

/// Describes what this rank is about to do, for a comparison with the other ranks.
std::string agreement(const RunCommand& command, const collectives::Backend& backend,
                      const std::vector<Config>& configs);

}  // namespace arlab::bench
