#include "bench/training/profiled/replay_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "algorithms/base/error.hpp"
#include "algorithms/base/quantities.hpp"
#include "bench/measure/timeout.hpp"
#include "bench/options/options.hpp"
#include "bench/options/rare_options.hpp"
#include "bench/options/topology_options.hpp"
#include "bench/text/units.hpp"
#include "bench/training/profiled/scale_options.hpp"
#include "bench/training/training_ranks.hpp"

namespace arlab::bench {
namespace {

constexpr Rank kMostWorkers = 1024;

}  // namespace

void ReplayOptions::add(CLI::App& app) {
  app.add_option("-m,--model", model,
                 "profile:NAME, as for `arlab plan`; or profile:FILE.json, FILE.et (default "
                 "profile:resnet50)")
      ->type_name("MODEL");
  app.add_option(
         "-b,--backend", backend,
         "Any of `arlab list backends` with a rank per thread or process; or virtual; default "
         "threads, in a job mpi")
      ->type_name("NAME");
  as_list(app.add_option(
              "-w,-p,--workers,--ranks", workers,
              "Workers: 2 (default), or 1,2,4; under mpirun the job's ranks, or fewer besides"))
      ->type_name("COUNTS");
  strategy.add(app,
               "Any of `arlab list strategies`, with parameters as in diloco:every=16,fragments=4; "
               "default mirrored, or multi_worker in a job");
  as_list(app.add_option("-a,--algorithm", algorithms,
                         "Allreduce algorithm: any of `arlab list algorithms`, native, or auto "
                         "(default: by strategy); or several"))
      ->type_name("NAMES");
  add_number(app, "--groups", learning.route_options.group_size, 1, kMostWorkers,
             "Ranks per machine, for hierarchical and hsdp (default: the actual number)");
  add_number(app, "--segments", learning.segments, 1, 1024, "Pipeline each allreduce (default 1)");
  add_exchange(app, schedulers, compressors);
  app.add_flag("--no-overlap", no_overlap,
               "Exchange gradients after the backward pass, not during it");
  add_number(app, "--steps", steps, 8, 10'000, "Training steps (default 20)");
  add_batch(app, batch, local_batch);
  app.add_option("--slowdown", slowdown, kSlowdownHelp)->delimiter(',')->type_name("FACTORS");
  add_networks(app, networks, "; of backend virtual, and of the search of --tune");
  app.add_option("--latency", latency, "Of a message between ports of a --network (default 20us)")
      ->type_name("TIME");
  app.add_option(
         "--tune", tune,
         "Search bucket sizes, schedulers and algorithms in simulation, confirm the best three "
         "by replays, and write the fastest for --settings; tries the compressors that are given")
      ->type_name("FILE");
  app.add_option(
         "--codec-cost", codec_cost,
         "Backend virtual, and the search of --tune: nanoseconds to encode and to decode an "
         "element (default 0,0; with --tune 1,1)")
      ->type_name("NS,NS");
  app.add_option("--json", json, "Write one record per row as JSON Lines to this file; - is stdout")
      ->type_name("FILE");
  add_timeout(app, patience);
  make_rare(app, {"--groups", "--segments", "--no-overlap", "--latency", "--codec-cost"});
}

training::ModelProfile ReplayOptions::profile(Rank all_workers) const {
  ScaleOptions scale;
  scale.model = model;
  scale.batch = batch;
  scale.local_batch = local_batch;
  scale.slowdown = slowdown;
  return scale.on_each(scale.profile(), all_workers);
}

std::vector<double> ReplayOptions::slowdown_by_rank() const {
  ScaleOptions scale;
  scale.slowdown = slowdown;
  return scale.slowdown_by_rank();
}

std::vector<Rank> ReplayOptions::chosen_workers() const {
  if (workers.empty()) return {2};
  std::vector<Rank> all;
  for (const Count n : parse_counts(workers, "--workers"))
    all.push_back(checked_number(n, "--workers", 1, kMostWorkers));
  return all;
}

std::vector<ScaleNetwork> ReplayOptions::parsed_networks() const {
  ScaleOptions scale;
  scale.networks = networks;
  scale.latency = latency;
  return scale.parsed_networks();
}

void ReplayOptions::check_values() const {
  for (const double factor : slowdown)
    if (!(factor > 0) || !(factor <= 1e6))
      fail(Blame::usage, fmt::format("--slowdown has the factor {}: give factors above 0 and at "
                                     "most 1e6, such as 1 or 2.5",
                                     factor));
}

void ReplayOptions::check_effects(const CLI::App& app, collectives::Placement placement) const {
  const auto needs = [&](const char* option, bool has_effect, std::string_view what) {
    if (app.count(option) > 0 && !has_effect) fail_without_effect(option, what);
  };
  const training::StrategyKind& kind =
      training::find_strategy(strategy_on(strategy.name(), placement));
  const bool emulated = placement == collectives::Placement::emulated;
  const auto networks_here = parsed_networks();
  const bool searches = emulated || tunes();
  needs("--network", searches, "--backend virtual or --tune");
  needs("--codec-cost",
        searches && std::any_of(compressors.begin(), compressors.end(),
                                [](const std::string& spec) { return spec != "none"; }),
        "--backend virtual or --tune, with --compressor");
  needs("--latency",
        searches && std::any_of(networks_here.begin(), networks_here.end(),
                                [](const auto& n) { return n.has_ports(); }),
        "--backend virtual or --tune with a network of ports");
  needs("--timeout", !emulated, "real ranks: virtual ones find a deadlock at once");
  needs("--algorithm", !kind.direct,
        "a strategy that does not send gradients from rank to rank itself");
  needs("--segments",
        !kind.direct && std::any_of(algorithms.begin(), algorithms.end(),
                                    [](const std::string& a) { return a != "native"; }),
        "an algorithm of our own, such as ring");
  needs("--groups",
        kind.grouped ||
            (!kind.direct && std::any_of(algorithms.begin(), algorithms.end(),
                                         [](const std::string& word) {
                                           const std::string name = word.substr(0, word.find(':'));
                                           if (name == "auto") return true;
                                           for (const Algorithm& a : arlab::algorithms())
                                             if (a.name == name) return a.grouped;
                                           return false;
                                         })),
        "--algorithm hierarchical or --strategy hsdp");
  needs("--scheduler", kind.schedules || kind.staggers, "strategy multi_worker or mirrored");
}

}  // namespace arlab::bench
