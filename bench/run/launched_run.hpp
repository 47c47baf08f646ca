// The option --launches of `arlab run`: the same run in several jobs, which are compared.
#pragma once

#include <string>
#include <vector>

#include "bench/options/options.hpp"

namespace CLI {
class App;
}

namespace arlab::bench {

struct LaunchOptions {
  int launches = 0;      ///< 0: none, the run is this process or job
  std::string launcher;  ///< as given; empty: mpirun for backends whose ranks are processes
  std::vector<std::string> words{};  ///< what a launch repeats
};

void add_launches(CLI::App& app, LaunchOptions& options);

/// Runs this command in that number of launches, prints their table, and returns the exit code.
/// `backend` and `samples` are those of the run, as given. Throws Error(usage) in a job, and for
/// options that describe one launch.
int run_in_launches(const LaunchOptions& options, const SweepOptions& sweep,
                    const std::string& backend, const std::string& samples);

}  // namespace arlab::bench
