#include "bench/training/profiled/replay_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "algorithms/base/error.hpp"
#include "bench/options/options.hpp"
#include "bench/options/rare_options.hpp"
#include "bench/training/training_ranks.hpp"

namespace arlab::bench {
namespace {

bool uses_nodes(const std::string& algorithm) {
  const std::string name = algorithm.substr(0, algorithm.find(':'));
  return name == "auto" || std::ranges::any_of(arlab::algorithms(), [&](const Algorithm& a) {
           return a.name == name && a.grouped;
         });
}

}  // namespace

ReplayOptions::ReplayOptions() {
  strategy.spec = "";
  codec_cost = "";
  algorithms = {""};
  steps = 20;
}

void ReplayOptions::add(CLI::App& app) {
  add_model(app);
  app.add_option(
         "-b,--backend", backend,
         "Any of `arlab list backends` with a rank per thread or process; or virtual; default "
         "threads, in a job mpi")
      ->type_name("NAME");
  add_shared(app, TrainingKind::replayed);
  add_number(app, "--steps", steps, 8, 10'000, "Training steps (default 20)");
  make_rare(app, {"--exchange"});
}

std::vector<Rank> ReplayOptions::chosen_workers() const { return parsed_workers({"2"}, 1024); }

training::TrainerOptions ReplayOptions::learning_on(collectives::Placement placement) const {
  training::TrainerOptions learning;
  learning.strategy = strategy_on(strategy.name(), placement);
  learning.options.values = strategy.values_of(training::find_strategy(learning.strategy));
  learning.overlap = overlap;
  learning.segments = segments;
  learning.route_options.group_size = group;
  return learning;
}

void ReplayOptions::check_replay(collectives::Placement placement) const {
  using std::ranges::any_of;
  const training::StrategyKind& kind =
      training::find_strategy(strategy_on(strategy.name(), placement));
  const bool emulated = placement == collectives::Placement::emulated;
  const bool searches = emulated || tunes();
  needs("--network", searches, "--backend virtual or --tune");
  needs("--compute codec",
        searches && any_of(compressors, [](const std::string& spec) { return spec != "none"; }),
        "--backend virtual or --tune, with --compressor");
  needs("--timeout", !emulated, "real ranks: virtual ones find a deadlock at once");
  needs("--algorithm", !kind.direct,
        "a strategy that does not send gradients from rank to rank itself");
  needs("--exchange segments",
        !kind.direct && any_of(algorithms, [](const std::string& a) { return a != "native"; }),
        "an algorithm of our own, such as ring");
  needs("--exchange groups", kind.grouped || (!kind.direct && any_of(algorithms, uses_nodes)),
        "--algorithm hierarchical or --strategy hsdp");
  needs("--scheduler", kind.schedules || kind.staggers, "strategy multi_worker or mirrored");
  const Count every =
      kind.periodic ? training::parameter_of(kind, strategy.values_of(kind), "every", 1) : 1;
  if (every > steps)
    fail(Blame::usage,
         fmt::format("--steps {} has no average of strategy {}, which makes one every {} steps: "
                     "give --steps {} or more, or a smaller every",
                     steps, kind.name, every, every));
}

}  // namespace arlab::bench
