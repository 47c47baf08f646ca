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
#include "training/gpus/profile_on_gpu.hpp"
#include "training/profiles/coded_tensor.hpp"
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

training::ModelProfile with_batch(training::ModelProfile profile, Count batch) {
  const double factor = static_cast<double>(batch) / static_cast<double>(profile.batch);
  if (factor != 1)
    for (training::ModelProfile::Part& part : profile.layers) {
      part.forward = to_time(picoseconds(part.forward) * factor);
      part.backward = to_time(picoseconds(part.backward) * factor);
    }
  profile.batch = batch;
  return profile;
}

// The rates at which a profile's device encodes gradients: those of a V100 if it is no GPU of the
// catalog.
training::DeviceRates coding_rates(const training::ModelProfile& profile) {
  constexpr training::DeviceRates kOther{.memory = 900e9, .arithmetic = 15.7e12};
  const training::GpuKind* const gpu = training::named_device(profile.device).gpu;
  return gpu ? training::DeviceRates{gpu->memory, gpu->arithmetic} : kOther;
}

}  // namespace

ScaleOptions::ScaleOptions() {
  strategy.spec = "multi_worker";
  codec_cost = "";
}

void ScaleOptions::add_model(CLI::App& app, const char* more) {
  app.add_option("-m,--model", model,
                 fmt::format("profile:NAME of {}; or profile:FILE.json, FILE.et{} (default {})",
                             profile_names(), more, model))
      ->type_name("MODEL");
}

void ScaleOptions::set_strategy(const training::TrainerOptions& learning) {
  strategy = {.spec = learning.strategy, .fixed = learning.options.values};
  group = learning.route_options.group_size;
  segments = learning.segments;
}

training::ModelProfile ScaleOptions::profile() const {
  return profile_of(model, gpus.empty() ? "" : gpus.front());
}

training::ModelProfile ScaleOptions::profile_of(const std::string& which,
                                                const std::string& gpu) const {
  if (!which.starts_with(kProfile)) fail(Blame::usage, unknown_profile(which));
  check_compute();
  training::GpuChoice device;
  if (!gpu.empty()) device.gpu = &training::find_gpu(gpu);
  if (!precision.empty()) device.precision = training::find_precision(precision);
  const training::ModelProfile whole =
      training::on_gpu(training::load_profile(which.substr(kProfile.size())), device);
  return with_batch(whole, local_batch > 0 ? local_batch : whole.batch);
}

training::ModelProfile ScaleOptions::on_each(const training::ModelProfile& profile,
                                             Rank all_workers) const {
  if (batch == 0) return profile;
  if (batch % all_workers != 0)
    fail(Blame::usage,
         fmt::format("--batch {} cannot be divided among {} equally: give a multiple, or "
                     "--batch per_worker=NUMBER",
                     batch, show_plural(all_workers, "worker")));
  return with_batch(profile, batch / all_workers);
}

double ScaleOptions::alone(const training::ModelProfile& profile, Rank all_workers) const {
  const bool divides = batch > 0;
  double step = 0;
  for (const training::Layer& layer : (divides ? with_batch(profile, batch) : profile).tensors())
    step += picoseconds(layer.forward + layer.backward);
  const training::TrainingPlan plan{.ranks = all_workers,
                                    .slowdown = slowdown_by_rank(all_workers)};
  const double mean_jitter = 1 + jitter / 2;
  return step * mean_jitter * plan.least_slowdown() / (divides ? all_workers : 1);
}

std::string note_on_batch(Count batch, std::span<const Rank> workers) {
  if (batch == 0 || workers.empty()) return "";
  const Rank most = std::ranges::max(workers);
  if (most == 1) return "";
  return fmt::format(
      "--batch {} is of all workers together: {} per worker on {} (of each: --batch "
      "per_worker={})",
      with_commas(batch), with_commas(batch / most), show_plural(most, "worker"), batch);
}

std::vector<ScaleNetwork> ScaleOptions::parsed_networks() const {
  std::vector<ScaleNetwork> all;
  for (const std::string& spec :
       networks.empty() ? std::vector<std::string>{"10G"} : without_repeats(split_specs(networks)))
    all.emplace_back(spec, seed);
  return all;
}

void ScaleOptions::check_effects(const std::vector<std::string>& used_algorithms,
                                 const std::vector<std::string>& used_compressors) const {
  using std::ranges::any_of;
  const training::StrategyKind& kind = training::find_strategy(strategy.name());
  for (const char* option : {"--algorithm", "--exchange segments"})
    needs(option, !kind.direct, "a strategy that does not send gradients from rank to rank itself");
  needs("--scheduler", kind.sharded || kind.schedules || kind.staggers,
        "strategy multi_worker or mirrored");
  needs("--compute seed",
        jitter != 0 || any_of(parsed_networks(), [](const auto& n) { return !n.has_ports(); }),
        "--compute jitter or a topology");
  needs("--exchange groups",
        kind.grouped ||
            (!kind.direct && any_of(used_algorithms,
                                    [](const std::string& name) {
                                      return name == "auto" ||
                                             (!name.empty() && find_algorithm(name).grouped);
                                    })),
        "--algorithm hierarchical or --strategy hsdp");
  needs("--compute codec",
        any_of(used_compressors, [](const std::string& spec) { return spec != "none"; }),
        "--compressor");
}

training::CodecCost ScaleOptions::codec_of(const training::CompressorChoice& choice,
                                           const training::ModelProfile& profile) const {
  if (!codec_cost.empty()) return parse_codec_cost(codec_cost);
  return training::counted_codec_cost(choice, profile.parameters(), coding_rates(profile));
}

training::TrainingPlan ScaleOptions::plan(const training::ModelProfile& profile,
                                          const std::string& scheduler,
                                          const std::string& compressor, Rank all_workers) const {
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
                              .gradient_bytes = profile.gradient_bytes,
                              .strategy = &kind,
                              .values = values,
                              .servers = serving,
                              .scheduler = &training::find_scheduler(gradients.scheduler),
                              .scheduling = gradients.scheduling,
                              .segments = segments,
                              .ranks = all_workers + serving,
                              .slowdown = slowdown_by_rank(all_workers),
                              .jitter = jitter,
                              .seed = seed,
                              .steps = steps};
  check_compute();
  training::CodecCost codec;
  if (gradients.compressor)
    codec = codec_of(*gradients.compressor, profile);
  else if (!codec_cost.empty())
    parse_codec_cost(codec_cost);  // or throws
  if (gradients.compressor && kind.direct) {
    plan.compression = {.choice = *gradients.compressor, .codec = codec};
  } else if (gradients.compressor) {
    const Count n = profile.parameters();
    const std::vector<training::TensorShapes> whole{training::flat(n)};
    const std::string way = training::code_route(gradients, whole, all_workers).way;
    const auto found = training::find_aggregation(way);
    plan.compression = {*gradients.compressor, found.value_or(training::Aggregation::all_gather),
                        codec};
  }
  return plan;
}

training::MakeNetwork ScaleOptions::place(training::TrainingPlan& plan,
                                          const training::ModelProfile& profile,
                                          const ScaleNetwork& network,
                                          const simulator::Machine* refit) const {
  const training::MakeNetwork make = network.on(plan, plan.ranks, group, refit);
  if (!plan.strategy->sharded) return make;
  training::ModelProfile shard = profile;  // each rank updates its own
  shard.optimizer /= std::max<Rank>(1, ranks_per_copy(plan));
  plan.layers = shard.tensors();
  return make;
}

bool shrinks(const training::ModelProfile& profile, const training::CompressorChoice& choice) {
  constexpr Count kLate = Count{1} << 40;  // a step after every warm-up
  const training::CompressorKind& kind = *choice.kind;
  const training::TensorShapes all{training::shape_of(profile.parameters(), kind)};
  const auto code = kind.packed(all, choice, kind.aggregations.front(), kLate);
  return !code || *code < profile.bytes();
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
