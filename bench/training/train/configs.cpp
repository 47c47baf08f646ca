#include "bench/training/train/configs.hpp"

#include <fmt/format.h>

#include <utility>

#include "algorithms/base/error.hpp"
#include "bench/text/say.hpp"
#include "bench/training/gradient_options.hpp"
#include "bench/training/training_ranks.hpp"

namespace arlab::bench {
namespace {

using collectives::Backend;
using collectives::Placement;

TrainConfig config_of(const TrainOptions& options, const Job& job, const Backend& backend,
                      const training::Architecture& architecture, Rank workers) {
  const Placement placement = job.placement(backend);
  TrainConfig c{&architecture, learning_of(options, placement, workers), &backend, workers,
                workers};
  const TrainingRanks all =
      training_ranks(job, backend, c.learning, workers, options.asked_workers());
  c.workers = c.learning.rate.workers = all.workers;
  c.ranks = all.ranks;
  c.batch = options.batch_of(c.workers);
  return c;
}

}  // namespace

std::string why_left_out(const TrainConfig& c) {
  const training::GradientOptions& gradients = c.learning.options.gradients;
  if (!gradients.compressor) return "";
  const training::CompressorKind& kind = *gradients.compressor->kind;
  if (training::find_scheduler(gradients.scheduler).halves)
    return "its halves of an allreduce cannot carry codes";
  if (kind.optimizer != "any" && c.learning.optimizer.kind != training::OptimizerOptions::Kind::sgd)
    return fmt::format("it needs optimizer {}", kind.optimizer);
  const Count n = c.architecture->parameters;
  const std::vector<training::TensorShapes> whole{training::flat(n)};
  if (training::code_route(gradients, whole, c.workers).way == "allreduce") return "";
  for (const Algorithm& a : algorithms())
    if (a.name == c.learning.route)
      return unsupported(a, {.collective = Collective::all_gather, .ranks = c.ranks});
  return "";
}

namespace {

// Returns all of them if `all` is given.
std::vector<std::string> expanded(const std::vector<std::string>& given,
                                  const std::vector<std::string>& all) {
  return given == std::vector<std::string>{"all"} ? all : given;
}

std::vector<std::string> all_schedulers() {
  std::vector<std::string> names;
  for (const training::SchedulerKind& kind : training::schedulers()) names.emplace_back(kind.name);
  return names;
}

std::vector<std::string> all_compressors() {
  std::vector<std::string> names{"none"};
  for (const training::CompressorKind& kind : training::compressors())
    names.emplace_back(kind.name);
  return names;
}

}  // namespace

std::vector<std::string> chosen_schedulers(const TrainOptions& options) {
  return expanded(options.schedulers, all_schedulers());
}

std::vector<std::string> chosen_compressors(const TrainOptions& options) {
  return expanded(options.compressors, all_compressors());
}

std::vector<TrainConfig> configs_of(const TrainOptions& options, const Job& job,
                                    const Backend& backend) {
  std::vector<Rank> workers = options.chosen_workers();
  const bool in_job = job.ranks() > 0 && job.placement(backend) == Placement::processes;
  if (options.workers.empty() && (in_job || backend.rank_per_device))
    workers = {job.default_ranks(backend)};
  const std::string strategy = options.strategy.name();
  if (!strategy.empty() && training::find_strategy(strategy).alone && options.workers.empty() &&
      job.ranks() < 2)
    workers = {1};
  const bool is_virtual = backend.placement == Placement::emulated;
  const auto networks = is_virtual ? options.world().networks() : std::vector<VirtualNetwork>(1);
  const std::vector<std::string>& algorithms = options.algorithms;
  const auto kinds = chosen_schedulers(options);
  const auto codes = chosen_compressors(options);
  const bool several = algorithms.size() * kinds.size() * codes.size() > 1;
  std::vector<TrainConfig> all;
  const auto add = [&](TrainConfig c) {
    training::GradientOptions& gradients = c.learning.options.gradients;
    if (const std::string why = why_left_out(c); several && !why.empty()) {
      if (job.is_root())
        say("note: {} with {}{} is left out: {}\n", compressor_label(gradients),
            gradients.scheduler, c.learning.route.empty() ? "" : " by " + c.learning.route, why);
      return;
    }
    if (is_virtual) {
      c.learning.speed = options.world().parsed_speed();
      gradients.codec = options.world().codec_of(gradients, c.architecture->parameters);
    }
    for (const VirtualNetwork& network : networks) {
      c.network = network;
      all.push_back(c);
    }
  };
  for (const training::Architecture* a : options.chosen_models())
    for (const Rank w : workers)
      for (const std::string& algorithm : algorithms)
        for (const std::string& scheduler : kinds)
          for (const std::string& compressor : codes) {
            TrainConfig c = config_of(options, job, backend, *a, w);
            c.learning.route = algorithm;
            set_scheduler(c.learning.options.gradients, scheduler);
            set_compressor(c.learning.options.gradients, compressor);
            add(std::move(c));
          }
  if (all.size() > 1 && !(options.checkpoint + options.tensorboard + options.trace).empty())
    fail(Blame::usage, fmt::format("--checkpoint, --tensorboard and --trace are of one run, but "
                                   "these are {}: choose one model, one number of workers, one "
                                   "algorithm, one scheduler, one compressor and one bandwidth",
                                   all.size()));
  return all;
}

}  // namespace arlab::bench
