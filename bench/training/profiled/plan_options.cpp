#include "bench/training/profiled/plan_options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "bench/options/options.hpp"
#include "bench/options/rare_options.hpp"

namespace arlab::bench {

void PlanOptions::add(CLI::App& app) {
  add_model(app);
  add_shared(app, TrainingKind::planned);
  add_number(app, "--steps", steps, 4, 10'000, "Training steps to simulate (default 12)");
  app.add_flag("--breakdown", breakdown,
               "Print the parts of each step instead of alternatives: also for several algorithms, "
               "schedulers or compressors, and with --trace");
  app.add_option("--trace", trace,
                 "Write a trace of computation and communication for Perfetto; - is stdout, alone")
      ->type_name("FILE");
  make_rare(app, {"--exchange", "--steps", "--compute"});
}

void PlanOptions::complete_plan() {
  complete();
  breakdown = breakdown || !trace.empty() ||
              std::max({algorithms.size(), schedulers.size(), compressors.size()}) > 1;
  if (algorithms.empty()) algorithms = {breakdown ? "" : "auto"};
  if (breakdown) return check_effects(algorithms, compressors);
  // The codec's cost is also that of the alternative with fp16 gradients.
  check_effects({algorithms.front(), "auto"}, {"fp16"});
}

std::vector<Rank> PlanOptions::chosen_workers() const {
  return parsed_workers({"8", "64", "512"}, kMostSimulatedWorkers);
}

}  // namespace arlab::bench
