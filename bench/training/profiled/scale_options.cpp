#include "bench/training/profiled/scale_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>

#include "algorithms/base/error.hpp"
#include "algorithms/base/quantities.hpp"
#include "bench/options/network_spec.hpp"
#include "bench/options/options.hpp"
#include "bench/options/topology_options.hpp"
#include "bench/text/units.hpp"
#include "bench/training/gradient_options.hpp"
#include "training/simulation/sharded.hpp"

namespace arlab::bench {
namespace {

constexpr std::string_view kProfile = "profile:";

std::string profile_names() {
  std::string all;
  for (const training::BuiltInProfile& one : training::built_in_profiles())
    all += fmt::format("{}{}", all.empty() ? "" : ", ", one.name);
  return all;
}

std::string unknown_profile(const std::string& model) {
  std::string offer;
  for (const training::BuiltInProfile& one : training::built_in_profiles())
    if (one.name == model) offer = fmt::format(" (did you mean {}{}?)", kProfile, model);
  return fmt::format(
      "--model {}: a simulation needs a profile{}: give profile:NAME of {}, or "
      "profile:FILE.json or FILE.et",
      model, offer, profile_names());
}

void expect_positive(std::span<const double> slowdown) {
  for (const double factor : slowdown)
    if (!(factor > 0) || !(factor <= 1e6))
      fail(Blame::usage,
           fmt::format("--slowdown has the factor {}: give factors above 0 and at most "
                       "1e6, such as 1 or 2.5",
                       factor));
}

training::ModelProfile with_batch(training::ModelProfile profile, Count batch, double slower) {
  const double factor = slower * static_cast<double>(batch) / static_cast<double>(profile.batch);
  if (factor != 1)
    for (training::ModelProfile::Part& part : profile.layers) {
      part.forward = to_time(picoseconds(part.forward) * factor);
      part.backward = to_time(picoseconds(part.backward) * factor);
    }
  profile.batch = batch;
  return profile;
}

}  // namespace

void add_batch(CLI::App& app, Count& batch, Count& local) {
  constexpr std::int32_t kMost = 1 << 24;
  const auto add = [&app](const std::string& names, const std::string& what, Count& value,
                          const std::string& help) {
    app.add_option_function<std::string>(
           names,
           [&value, what](const std::string& text) {
             value = checked_number(parse_count(text, what), what, 1, kMost);
           },
           help)
        ->type_name("NUMBER");
  };
  add("-B,--batch,--batch-size,--global-batch", "--batch", batch,
      "Samples of all workers together per step, not of each; the passes take time in proportion");
  add("--local-batch", "--local-batch", local,
      "Samples per worker and step, instead (default: the profile's)");
}

void add_exchange(CLI::App& app, std::vector<std::string>& schedulers,
                  std::vector<std::string>& compressors) {
  app.add_option("--scheduler", schedulers,
                 "Order of gradient messages: any of `arlab list schedulers` (default buckets); or "
                 "several")
      ->type_name("SPECS");
  app.add_option("--compressor", compressors,
                 "Compression of gradients: any of `arlab list compressors` (default none); or "
                 "several")
      ->type_name("SPECS");
}

void add_networks(CLI::App& app, std::vector<std::string>& networks, const std::string& more) {
  app.add_option("--network", networks, network_help("10G") + more)
      ->allow_extra_args(false)
      ->take_all()
      ->type_name("NETWORKS");
}

void ScaleOptions::add(CLI::App& app) {
  app.add_option("-m,--model", model,
                 fmt::format("profile:NAME of {}; or profile:FILE.json, FILE.et (default {})",
                             profile_names(), model))
      ->type_name("MODEL");
  strategy.add(app,
               "Any of `arlab list strategies`, with parameters as in diloco:every=16,fragments=4 "
               "(default multi_worker)");
  app.add_option("--latency", latency, "Of a message between ports (default 20us)")
      ->type_name("TIME");
  add_number(app, "--groups", group, 1, kMostSimulatedWorkers,
             "Ranks per node, for hierarchical and hsdp (default: those of the topology)");
  add_number(app, "--segments", segments, 1, 1024, "Pipeline each allreduce (default 1)");
  add_number(app, "--steps", steps, 4, 10'000, "Training steps to simulate (default 12)");
  add_batch(app, batch, local_batch);
  app.add_option(
         "--codec-cost", codec_cost,
         "Nanoseconds per element to encode and to decode (default 0.01,0.01: a pass over a "
         "GPU's memory each)")
      ->type_name("NS,NS");
  app.add_option("--slowdown", slowdown, kSlowdownHelp)->delimiter(',')->type_name("FACTORS");
  app.add_option("--jitter", jitter, "Random extra compute time, up to this fraction (default 0)")
      ->type_name("PART");
  app.add_option_function<std::string>(
         "--seed",
         [this](const std::string& text) {
           const Count number = parse_count(text, "--seed");
           if (number < 0)
             fail(Blame::usage, fmt::format("--seed is {}: give a number of 0 or more", number));
           seed = static_cast<std::uint64_t>(number);
         },
         "Seed of random numbers: of jitter and routes (default 1)")
      ->type_name("SEED");
  app.add_option("--json", json, "Write one record per row as JSON Lines to this file; - is stdout")
      ->type_name("FILE");
}

void ScaleOptions::set_strategy(const training::TrainerOptions& learning) {
  strategy = {.spec = learning.strategy, .fixed = learning.options.values};
  group = learning.route_options.group_size;
  segments = learning.segments;
}

training::ModelProfile ScaleOptions::profile() const {
  if (!model.starts_with(kProfile)) fail(Blame::usage, unknown_profile(model));
  expect_positive(slowdown);
  if (batch > 0 && local_batch > 0)
    fail(Blame::usage,
         "--batch, of all workers, and --local-batch, of each, are both given: give only one");
  const training::ModelProfile whole = training::load_profile(model.substr(kProfile.size()));
  return with_batch(whole, local_batch > 0 ? local_batch : whole.batch,
                    slowdown.size() == 1 ? slowdown.front() : 1);
}

training::ModelProfile ScaleOptions::on_each(const training::ModelProfile& profile,
                                             Rank workers) const {
  if (batch == 0) return profile;
  if (batch % workers != 0)
    fail(Blame::usage,
         fmt::format("--batch {} cannot be divided among {} equally: give a multiple, or "
                     "--local-batch, which is per worker",
                     batch, show_plural(workers, "worker")));
  return with_batch(profile, batch / workers, 1);
}

std::vector<double> ScaleOptions::slowdown_by_rank() const {
  return slowdown.size() == 1 ? std::vector<double>{} : slowdown;
}

std::string note_on_batch(Count batch, std::span<const Rank> workers) {
  if (batch == 0 || workers.empty() || std::ranges::max(workers) == 1) return "";
  return fmt::format(
      "--batch {} is of all workers together: {} per worker on {} (it was per worker before; that "
      "is "
      "--local-batch)",
      batch, show_count(batch / workers.back()), show_plural(workers.back(), "worker"));
}

std::vector<ScaleNetwork> ScaleOptions::parsed_networks() const {
  const Time each = to_time(parse_time(latency, "--latency"));
  if (each > 10 * kSecond)
    fail(Blame::usage, fmt::format("--latency is {}: give at most 10s", latency));
  std::vector<ScaleNetwork> all;
  for (const std::string& spec :
       networks.empty() ? std::vector<std::string>{"10G"} : without_repeats(split_specs(networks)))
    all.emplace_back(spec, each, seed);
  return all;
}

void ScaleOptions::check_effects(const CLI::App& app, const std::vector<std::string>& algorithms,
                                 const std::vector<std::string>& compressors) const {
  const auto needs = [&](const char* option, bool has_effect, std::string_view what) {
    if (app.count(option) > 0 && !has_effect) fail_without_effect(option, what);
  };
  const auto any = [](const auto& all, auto has) {
    return std::any_of(all.begin(), all.end(), has);
  };
  const training::StrategyKind& kind = training::find_strategy(strategy.name());
  const std::vector<ScaleNetwork> wires = parsed_networks();
  const bool has_ports = any(wires, [](const ScaleNetwork& n) { return n.has_ports(); });
  const bool has_links = any(wires, [](const ScaleNetwork& n) { return !n.has_ports(); });
  for (const char* option : {"--algorithm", "--segments"})
    needs(option, !kind.direct, "a strategy that does not send gradients from rank to rank itself");
  needs("--scheduler", kind.sharded || kind.schedules || kind.staggers,
        "strategy multi_worker or mirrored");
  needs("--latency", has_ports, "a network of ports, such as --network 10G");
  needs("--seed", has_links || jitter != 0, "--jitter or a topology");
  needs(
      "--groups",
      kind.grouped || (!kind.direct && any(algorithms,
                                           [](const std::string& name) {
                                             return name == "auto" ||
                                                    (!name.empty() && find_algorithm(name).grouped);
                                           })),
      "--algorithm hierarchical or --strategy hsdp");
  needs("--codec-cost", any(compressors, [](const std::string& spec) { return spec != "none"; }),
        "--compressor");
}

training::TrainingPlan ScaleOptions::plan(const training::ModelProfile& profile,
                                          const std::string& scheduler,
                                          const std::string& compressor, Rank workers) const {
  training::GradientOptions gradients;
  set_scheduler(gradients, scheduler);
  set_compressor(gradients, compressor);
  const training::StrategyKind& kind = training::find_strategy(strategy.name());
  if (kind.sharded && scheduler != training::GradientOptions{}.scheduler)
    fail(Blame::usage,
         fmt::format("strategy {} exchanges units of 25 MiB in its own order: leave out "
                     "--scheduler {}",
                     kind.name, scheduler));
  const Values values = strategy.values_of(kind);
  const auto serving = static_cast<Rank>(training::parameter_of(kind, values, "servers", 0));
  training::TrainingPlan plan{.layers = profile.tensors(),
                              .strategy = &kind,
                              .values = values,
                              .servers = serving,
                              .scheduler = &training::find_scheduler(gradients.scheduler),
                              .scheduling = gradients.scheduling,
                              .segments = segments,
                              .ranks = workers + serving,
                              .slowdown = slowdown_by_rank(),
                              .jitter = jitter,
                              .seed = seed,
                              .steps = steps};
  expect_positive(slowdown);
  if (!(jitter >= 0) || !(jitter <= 1e6))
    fail(Blame::usage, fmt::format("--jitter is {}: give 0 to 1e6, such as 0.1", jitter));
  const training::CodecCost codec = parse_codec_cost(codec_cost);
  if (gradients.compressor && kind.direct) {
    plan.compression = {.choice = *gradients.compressor, .codec = codec};
  } else if (gradients.compressor) {
    const Count n = profile.parameters();
    const training::Variable whole{.name = "all", .shape = {n}, .elements = n};
    const std::string way = training::code_route(gradients, {&whole, 1}, workers).way;
    const auto aggregation = training::find_aggregation(way);
    plan.compression = {*gradients.compressor,
                        aggregation.value_or(training::Aggregation::all_gather), codec};
  }
  return plan;
}

training::MakeNetwork ScaleOptions::place(training::TrainingPlan& plan,
                                          const training::ModelProfile& profile,
                                          const ScaleNetwork& network) const {
  const training::MakeNetwork make = network.on(plan, plan.ranks, group);
  if (!plan.strategy->sharded) return make;
  training::ModelProfile shard = profile;  // each rank updates its own
  shard.optimizer /= std::max<Rank>(1, ranks_per_copy(plan));
  plan.layers = shard.tensors();
  return make;
}

const Algorithm& choose_algorithm(const std::string& word, const training::TrainingPlan& plan,
                                  const training::MakeNetwork& network) {
  if (plan.strategy->direct) return find_algorithm(plan.strategy->route);
  if (word != "auto") return find_algorithm(word);
  constexpr Count kBucket = 25 << 18;         // elements of 25 MiB
  constexpr Count kMostMessages = 1'100'000;  // those of a ring of 740 ranks
  const Algorithm* best = nullptr;
  Time least = simulator::kNever;
  std::vector<std::string_view> names{"ring", "rabenseifner", "hierarchical", "circulant"};
  // The strategy's own can carry its collectives where none of these can.
  if (std::ranges::find(names, plan.strategy->route) == names.end())
    names.push_back(plan.strategy->route);
  for (const std::string_view name : names) {
    training::TrainingPlan candidate = plan;
    candidate.algorithm = &find_algorithm(name);
    const Problem problem = candidate.problem(Collective::allreduce, kBucket);
    if (!unsupported(*candidate.algorithm, problem).empty() ||
        !unsupported_algorithm(candidate).empty() ||
        predicted_cost(*candidate.algorithm, problem, plan.segments).messages > kMostMessages)
      continue;
    const Time took = training::CollectiveTimes(candidate, network)
                          .of(Collective::allreduce, kBucket, training::kGradientBytes);
    if (took < least) {
      least = took;
      best = candidate.algorithm;
    }
  }
  return best ? *best : find_algorithm(plan.strategy->route);
}

}  // namespace arlab::bench
