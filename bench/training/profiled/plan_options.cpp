#include "bench/training/profiled/plan_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <map>
#include <system_error>
#include <utility>

#include "algorithms/base/error.hpp"
#include "algorithms/base/printable.hpp"
#include "bench/options/options.hpp"
#include "bench/options/rare_options.hpp"
#include "bench/text/comma_list.hpp"
#include "bench/text/units.hpp"

namespace arlab::bench {
namespace {

// The name of a file may have commas.
std::vector<std::string> models_of(const std::string& list) {
  std::error_code ignored;
  if (std::filesystem::exists(list.substr(list.find(':') + 1), ignored)) return {list};
  return without_repeats(parts_of_list(list));
}

}  // namespace

void PlanOptions::add(CLI::App& app) {
  add_model(app, ", or several of these");
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

std::vector<training::ModelProfile> PlanOptions::profiles() const {
  std::vector<training::ModelProfile> all;
  std::map<std::pair<std::string, std::string>, std::string> known;  // by name and device
  for (const std::string& one : models_of(model))
    for (const std::string& gpu : gpus.empty() ? std::vector<std::string>{""} : gpus) {
      all.push_back(profile_of(one, gpu));
      const auto [first, is_new] = known.try_emplace({all.back().name, all.back().device}, one);
      if (!is_new)
        fail(Blame::usage,
             fmt::format("--model: {} and {} both have the name '{}' and the device '{}', which "
                         "tell rows apart: give one another \"name\" in its file (the name of a "
                         "trace is that of its file)",
                         first->second, one, printable(all.back().name), all.back().device));
    }
  return all;
}

std::vector<Rank> PlanOptions::chosen_workers() const {
  return parsed_workers({"8", "64", "512"}, kMostSimulatedWorkers);
}

}  // namespace arlab::bench
