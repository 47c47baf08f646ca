#include "bench/training/profiled/plan_options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "bench/options/options.hpp"
#include "bench/options/rare_options.hpp"
#include "bench/options/topology_options.hpp"
#include "bench/text/units.hpp"
#include "bench/training/settings_file.hpp"

namespace arlab::bench {
void PlanOptions::add(CLI::App& app) {
  as_list(app.add_option("-w,-p,--gpus,--workers,--ranks", workers,
                         "Workers, one per GPU: 8,64,512 (default), up to 16384"))
      ->type_name("COUNTS");
  add_networks(app, scale.networks);
  scale.add(app);
  as_list(app.add_option("-a,--algorithm", algorithms,
                         "Allreduce algorithm: auto (default), the fastest of a few for a bucket "
                         "on this network; or any of `arlab list algorithms`; or several. With "
                         "--breakdown by default that of the strategy"))
      ->type_name("NAMES");
  add_exchange(app, schedulers, compressors);
  app.add_flag("--breakdown", breakdown,
               "Print the parts of each step instead of alternatives: also for several algorithms, "
               "schedulers or compressors, and with --trace");
  app.add_option("--trace", trace,
                 "Write a trace of computation and communication for Perfetto; - is stdout, alone")
      ->type_name("FILE");
  add_settings_option(app);
  make_rare(app, {"--latency", "--groups", "--segments", "--steps", "--codec-cost", "--jitter",
                  "--seed"});
}

void PlanOptions::complete(const CLI::App& command) {
  algorithms = without_repeats(algorithms);
  for (auto* specs : {&schedulers, &compressors}) *specs = without_repeats(split_specs(*specs));
  breakdown = breakdown || !trace.empty() ||
              std::max({algorithms.size(), schedulers.size(), compressors.size()}) > 1;
  if (algorithms.empty()) algorithms = {breakdown ? "" : "auto"};
  if (breakdown) return scale.check_effects(command, algorithms, compressors);
  // The codec's cost is also that of the alternative with fp16 gradients.
  scale.check_effects(command, {algorithms.front(), "auto"}, {"fp16"});
}

std::vector<Rank> PlanOptions::chosen_workers() const {
  std::vector<Rank> all;
  for (const Count n : parse_counts(
           workers.empty() ? std::vector<std::string>{"8", "64", "512"} : workers, "--gpus"))
    all.push_back(checked_number(n, "--gpus", 1, kMostSimulatedWorkers));
  return all;
}

}  // namespace arlab::bench
