#include "bench/training/train/options/options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <limits>

#include "algorithms/base/error.hpp"
#include "algorithms/base/names.hpp"
#include "bench/measure/job.hpp"
#include "bench/measure/timeout.hpp"
#include "bench/options/options.hpp"
#include "bench/options/rare_options.hpp"
#include "bench/options/settings.hpp"
#include "bench/text/units.hpp"
#include "bench/training/settings_file.hpp"
#include "bench/training/training_ranks.hpp"
#include "training/data/augment.hpp"
#include "training/data/cifar10.hpp"
#include "training/data/idx.hpp"
#include "training/data/synthetic.hpp"

namespace arlab::bench {
namespace {

// The first long name of "-B,--batch,--batch-size".
std::string name_of(const std::string& names) {
  const std::size_t begin = names.find("--");
  return names.substr(begin, names.find(',', begin) - begin);
}

template <class Number>
void add_number(CLI::App& app, const std::string& names, Number& value, Count min,
                const std::string& help, const std::string& kind = "NUMBER") {
  const auto parse = [&value, what = name_of(names), min](const std::string& text) {
    const Count number = parse_count(text, what);
    constexpr auto kMax = std::numeric_limits<Number>::max();
    if (number < min || (sizeof(Number) < sizeof(Count) && number > static_cast<Count>(kMax)))
      fail(Blame::usage, fmt::format("{} is {}: give at least {}", what, number, min));
    value = static_cast<Number>(number);
  };
  app.add_option_function<std::string>(names, parse, help)->type_name(kind);
}

void add_word(CLI::App& app, const std::string& names, std::string& value,
              const std::string& help) {
  app.add_option(names, value, help)->type_name("NAME");
}

std::string names_of_strategies() {
  std::string all;
  for (const training::StrategyKind& kind : training::strategies())
    all += fmt::format("{}{}", all.empty() ? "" : ", ", kind.name);
  return all;
}

std::string names_of_models() {
  std::string all;
  for (const training::Architecture& a : training::architectures())
    all += fmt::format("{}{}", all.empty() ? "" : ", ", a.name);
  return all;
}

void add_what(CLI::App& app, TrainOptions& o) {
  as_list(
      app.add_option("-m,--model", o.models,
                     fmt::format("{} (default mlp), or several; profiles of others are for `arlab "
                                 "plan`, which simulates, and `arlab replay`",
                                 names_of_models())))
      ->type_name("MODELS");
  as_list(app.add_option(
              "-w,-p,--workers,--ranks", o.workers,
              "Workers: 4, or 1,2,4 to compare; under mpirun the job's ranks, or fewer besides"))
      ->type_name("COUNTS");
  add_word(app, "-d,--data", o.data,
           "synthetic (default), idx:FOLDER (MNIST's format) or cifar10:FOLDER");
  add_number(app, "--samples", o.samples, 1, "Samples per epoch of synthetic data (default 8000)");
  app.add_flag("--augment", o.augment, "Shift training images at random, and mirror color images");
  o.feed.add(app);
  add_number(app, "-B,--batch,--batch-size,--global-batch", o.batch, 1,
             "Samples of all workers together per step, not of each (default 64)");
  add_number(app, "--local-batch", o.local_batch, 1,
             "Samples of each worker per step, instead: with more workers, a step has more samples "
             "(weak scaling)");
  add_number(app, "--micro-batches", o.learning.micro_batches, 1,
             "Number of parts in which a worker computes its batch (default 1)");
  add_number(app, "-e,--epochs", o.learning.epochs, 1, "Epochs (default 1)");
  add_number(
      app, "--steps", o.learning.max_steps, 1,
      "Training steps, also of several epochs unless --epochs is given (default: all of an epoch)");
  add_number(app, "--warmup-steps", o.warmup_steps, 0,
             "First steps that rates, times and speed-ups leave out (default 10; at most half of "
             "a run)");
  add_number(app, "--seed", o.seed, 0,
             "Seed of random numbers: of weights, data and order (default 1)", "SEED");
  add_number(app, "--threads", o.threads, 1, "Compute threads per worker (default 1)");
  add_word(app, "--device", o.device, "cpu (default) or cuda");
  app.add_flag("--sync-bn", o.sync_batch_norm,
               "Batch normalization over the batches of all workers");
}

void add_how(CLI::App& app, TrainOptions& o) {
  o.strategy.add(app, fmt::format("{}; with parameters (`arlab list strategies`), as in "
                                  "diloco:outer_rate=0.7,fragments=4; default: by backend",
                                  names_of_strategies()));
  as_list(app.add_option(
              "-a,--algorithm", o.algorithms,
              "Allreduce algorithm: any of `arlab list algorithms` (tree is a hierarchical copy), "
              "native, or auto, which times all of them first (default ring; tree for "
              "central_storage); or several"))
      ->type_name("NAMES");
  add_word(
      app, "-b,--backend", o.backend,
      fmt::format("{}; default {}, under mpirun and srun {}; or {}: {}",
                  backend_names([](const collectives::Backend& b) {
                    return b.placement != collectives::Placement::colocated;
                  }),
                  backend_names([](const collectives::Backend& b) { return b.default_alone; }),
                  backend_names([](const collectives::Backend& b) { return b.default_in_job; }),
                  o.world.backend({}, 0).name, o.world.backend({}, 0).summary));
  add_number(app, "--groups", o.learning.route_options.group_size, 1,
             "Ranks per machine, for hierarchical and hsdp (default: the actual number)");
  add_number(app, "--segments", o.learning.segments, 1,
             "Pipeline segments per allreduce (default 1)", "COUNT");
  app.add_option(
         "--scheduler", o.schedulers,
         "Order of gradient messages: any of `arlab list schedulers`, with parameters as in "
         "priority:slice=4M; default buckets (1M first, then 25M); or several, or all")
      ->type_name("SPECS");
  app.add_option("--compressor", o.compressors,
                 "Compression of gradients: any of `arlab list compressors`, with parameters as in "
                 "topk:ratio=0.01; default none; or several, or all")
      ->type_name("SPECS");
  add_word(app, "--aggregation", o.learning.options.gradients.aggregation,
           "How compressed gradients are combined: allreduce, all_gather, requantize; doubling or "
           "balanced for sparse ones; auto (default) receives the fewest bytes");
  app.add_flag("--no-overlap", o.no_overlap,
               "Exchange gradients after the backward pass, not during it");
  add_number(
      app, "--check-every", o.learning.check_every, 0,
      "Steps between comparisons of the replicas (default 100; 0: at the end of each epoch)");
}

void add_save(CLI::App& app, training::SavePolicy& policy) {
  using Text = const std::string&;
  constexpr std::int32_t kMost = 1'000'000'000;
  const auto number = [](Text text, Text what, std::int32_t least) {
    return checked_number(parse_count(text, what), what, least, kMost);
  };
  add_settings(
      app, "--save",
      "What is saved: every=100 steps, too; keep=3 checkpoints (default; 0: all); best_only=on: "
      "only when the validation loss is lower than before; weights_only=on: only weights, from "
      "which a run cannot continue",
      {{"every",
        [&policy, number](Text text, Text what) { policy.every_steps = number(text, what, 1); }},
       {"keep", [&policy, number](Text text, Text what) { policy.keep = number(text, what, 0); }},
       {"best_only",
        [&policy](Text text, Text what) { policy.best_only = parse_switch(text, what); }},
       {"weights_only",
        [&policy](Text text, Text what) { policy.weights_only = parse_switch(text, what); }}});
}

void add_kept(CLI::App& app, TrainOptions& o) {
  app.add_option("--checkpoint", o.checkpoint,
                 "Save checkpoints in this folder, and continue from the latest one")
      ->type_name("FOLDER");
  add_save(app, o.policy);
  app.add_option("--json", o.json,
                 "Write one record per run as JSON Lines to this file; - is stdout")
      ->type_name("FILE");
  app.add_option("--csv", o.csv,
                 "Write one record per run as comma-separated values to this file; - is stdout")
      ->type_name("FILE");
  app.add_flag("--dry-run", o.dry_run,
               "Print the configurations and their settings, without training");
  app.add_option("--target", o.target,
                 "Validation accuracy, 0 to 1, for the time to accuracy of a study or of --tune "
                 "(default: the final accuracy of the fastest dense run, or of the first setting "
                 "that --tune trains, less one point)")
      ->type_name("PART");
  app.add_option(
         "--tune", o.tune,
         "Search bucket sizes, schedulers and algorithms in simulation, train with the best "
         "until the accuracy of --target, and write the fastest to reach it for --settings; "
         "tries the compressors that are given")
      ->type_name("FILE");
  app.add_option("--tensorboard", o.tensorboard, "Write event files for TensorBoard")
      ->type_name("FOLDER");
  app.add_option("--record-profile", o.record_profile,
                 "Measure a few steps of one worker without communication, and write them as a "
                 "profile for `arlab plan -m profile:FILE`; does not train")
      ->type_name("FILE");
  app.add_option("--trace", o.trace, "Write a trace of computation and communication for Perfetto")
      ->type_name("FILE");
}

}  // namespace

bool TrainOptions::given(std::string_view option) const {
  return app_ && app_->get_option(std::string(option))->count() > 0;
}

void TrainOptions::add(CLI::App& app) {
  app_ = &app;
  learning.rate.base = 0.05;
  add_what(app, *this);
  add_how(app, *this);
  rates.add(app, learning);
  world.add(app);
  add_kept(app, *this);
  add_settings_option(app);
  add_timeout(app, patience);
  make_rare(app, {"--micro-batches", "--warmup-steps", "--sync-bn", "--groups", "--segments",
                  "--aggregation", "--check-every", "--lr-decay-epochs", "--lr-decay-factor",
                  "--latency", "--speed", "--jitter", "--codec-cost"});
}

std::vector<const training::Architecture*> TrainOptions::chosen_models() const {
  if (models.empty()) return {&training::find_architecture("mlp")};
  std::vector<const training::Architecture*> all;
  for (const std::string& name : without_repeats(models))
    all.push_back(&training::find_architecture(name));
  return all;
}

std::vector<Rank> TrainOptions::chosen_workers() const {
  if (workers.empty()) return {2};
  std::vector<Rank> all;
  for (const Count n : parse_counts(workers, "--workers")) {
    if (n < 1 || n > 1024) fail(Blame::usage, fmt::format("workers is {}: give 1 to 1024", n));
    all.push_back(static_cast<Rank>(n));
  }
  return all;
}

// Samples are kept in memory, with their order and their labels.
void check_fits_memory(Count samples, const training::Shape& shape) {
  const double bytes_each = 4. * shape.channels * shape.height * shape.width + 16;
  const double memory = machine_memory();
  if (static_cast<double>(samples) * bytes_each > memory)
    fail(Blame::usage,
         fmt::format("--samples is {}: they take {:.0f} GB, but this machine has {:.0f} "
                     "GB of memory: use fewer",
                     samples, static_cast<double>(samples) * bytes_each / 1e9, memory / 1e9));
}

Datasets datasets_of(const TrainOptions& o, const training::Architecture& a) {
  const training::Shape shape{static_cast<int>(a.channels), static_cast<int>(a.height),
                              static_cast<int>(a.width)};
  const std::string kind = o.data.substr(0, o.data.find(':'));
  const std::string folder = kind == o.data ? "" : o.data.substr(kind.size() + 1);
  Datasets sets;
  if (kind == "synthetic" && folder.empty()) {
    const training::Synthetic wanted{.shape = shape, .samples = o.samples, .seed = o.seed};
    training::Synthetic others = wanted;
    others.samples = o.validation_samples;
    others.validation = true;
    check_fits_memory(o.samples, shape);
    sets = {training::synthetic(wanted), training::synthetic(others)};
  } else if (kind == "idx" && !folder.empty()) {
    sets = {training::read_idx(folder, true), training::read_idx(folder, false)};
  } else if (kind == "cifar10" && !folder.empty()) {
    sets = {training::read_cifar10(folder, true), training::read_cifar10(folder, false)};
  } else {
    fail(Blame::usage, fmt::format("--data '{}' is unknown: use synthetic, idx:FOLDER or "
                                   "cifar10:FOLDER",
                                   o.data));
  }
  for (const training::Dataset* set : {&sets.train, &sets.validation})
    if (!(set->shape == shape) || set->classes > a.classes)
      fail(Blame::usage,
           fmt::format("{} has images of {} x {} x {} in {} classes, but model {} takes {} x {} x "
                       "{} in {}: choose another model with -m",
                       set->name, set->shape.channels, set->shape.height, set->shape.width,
                       set->classes, a.name, a.channels, a.height, a.width, a.classes));
  if (o.augment)
    sets.train = training::augmented(sets.train, training::usual_augmentation(shape, o.seed));
  return {training::cached(sets.train), training::cached(sets.validation)};
}

training::TrainerOptions learning_of(const TrainOptions& o, collectives::Placement placement,
                                     Rank workers) {
  training::TrainerOptions learning = o.learning;
  const bool alone = workers == 1 && o.strategy.spec.empty();
  learning.strategy = alone ? "one_device" : strategy_on(o.strategy.name(), placement);
  learning.options.values = o.strategy.values_of(training::find_strategy(learning.strategy));
  learning.options.gradients.seed = o.seed;
  learning.overlap = !o.no_overlap;
  o.rates.apply(learning);
  learning.rate.workers = workers;
  learning.rate.epochs = static_cast<double>(learning.epochs);
  return learning;
}

}  // namespace arlab::bench
