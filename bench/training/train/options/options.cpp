#include "bench/training/train/options/options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <utility>

#include "algorithms/base/error.hpp"
#include "algorithms/base/names.hpp"
#include "bench/measure/job.hpp"
#include "bench/options/options.hpp"
#include "bench/options/rare_options.hpp"
#include "bench/options/settings.hpp"
#include "bench/text/units.hpp"
#include "bench/training/training_ranks.hpp"
#include "training/data/augment.hpp"
#include "training/data/cifar10.hpp"
#include "training/data/idx.hpp"
#include "training/data/synthetic.hpp"

namespace arlab::bench {
namespace {

using Text = const std::string&;

Count parse_number_of(const std::string& text, const std::string& what, Count least) {
  const Count number = parse_count(text, what);
  if (number < least)
    fail(Blame::usage, fmt::format("{} is {}: give at least {}", what, number, least));
  return number;
}

SettingReader count_reader(std::string name, Count& value, Count least, bool* is_set = nullptr) {
  return {std::move(name), [&value, least, is_set](Text text, Text what) {
            value = parse_number_of(text, what, least);
            if (is_set) *is_set = true;
          }};
}

void add_file(CLI::App& app, const char* name, std::string& path, const char* help,
              const char* type = "FILE") {
  app.add_option(name, path, help)->type_name(type);
}

std::string names_of_models() {
  std::string all;
  for (const training::Architecture& a : training::architectures())
    all += fmt::format("{}{}", all.empty() ? "" : ", ", a.name);
  return all;
}

}  // namespace

TrainOptions::TrainOptions() {
  algorithms = {""};
  codec_cost = "measured";
  batch = 64;
  learning.rate.base = 0.05;
}

void TrainOptions::add_data(CLI::App& app) {
  add_settings(app, "-d,--data",
               "synthetic (default; synthetic:samples=8000 per epoch), idx:FOLDER (MNIST's format) "
               "or cifar10:FOLDER",
               {word_reader("", data), count_reader("samples", samples, 1, &sets_samples)})
      ->type_name("NAME");
  feed.add(app);
}

void TrainOptions::add_lengths(CLI::App& app) {
  app.add_option_function<std::string>(
         "-e,--epochs",
         [this](Text text) { learning.epochs = parse_number_of(text, "--epochs", 1); },
         "Epochs (default 1)")
      ->type_name("NUMBER");
  add_settings(app, "--steps",
               "Training steps, also of several epochs unless --epochs is given (default: all of "
               "an epoch); warmup=10 (default): the first ones that rates, times and speed-ups "
               "leave out, at most half of a run",
               {count_reader("", learning.max_steps, 1),
                count_reader("warmup", warmup_steps, 0, &sets_warmup)})
      ->type_name("NUMBER");
  add_seed(
      app, [this](std::uint64_t given) { seed = given; }, "of weights, data and order (default 1)");
  add_settings(app, "--device", "cpu (default; cpu:threads=2 per worker, default 1) or cuda",
               {word_reader("", device),
                {"threads",
                 [this](Text text, Text what) {
                   threads = checked_number(parse_count(text, what), what, 1, 1024);
                 }}})
      ->type_name("NAME");
}

void TrainOptions::add_checkpoint(CLI::App& app) {
  constexpr std::int32_t kMost = 1'000'000'000;
  std::vector<SettingReader> readers{
      {"every",
       [this](Text text, Text what) {
         policy.every_steps = checked_number(parse_count(text, what), what, 1, kMost);
       }},
      {"keep",
       [this](Text text, Text what) {
         policy.keep = checked_number(parse_count(text, what), what, 0, kMost);
       }},
      switch_reader("best_only", policy.best_only),
      switch_reader("weights_only", policy.weights_only)};
  for (SettingReader& one : readers)
    one.read = [this, read = one.read](Text text, Text what) {
      sets_policy = true;
      read(text, what);
    };
  readers.push_back(word_reader("", checkpoint));
  add_settings(app, "--checkpoint",
               "Save checkpoints in this folder, and continue from the latest one; run1:every=100 "
               "steps, too; keep=3 checkpoints (default; 0: all); best_only=on: only when the "
               "validation loss is lower than before; weights_only=on: only weights, from which a "
               "run cannot continue",
               std::move(readers))
      ->type_name("FOLDER");
}

void TrainOptions::add_outputs(CLI::App& app) {
  add_file(app, "--csv", csv,
           "Write one record per run as comma-separated values to this file; - is stdout");
  app.add_flag("--dry-run", dry_run,
               "Print the configurations and their settings, without training");
  app.add_option("--target", target,
                 "Validation accuracy, 0 to 1, for the time to accuracy of a study or of --tune "
                 "(default: the final accuracy of the fastest dense run, or of the first setting "
                 "that --tune trains, less one point)")
      ->type_name("PART");
  add_file(app, "--tensorboard", tensorboard, "Write event files for TensorBoard", "FOLDER");
  add_file(app, "--record-profile", record_profile,
           "Measure a few steps of one worker without communication, and write them as a profile "
           "for `arlab plan -m profile:FILE`; does not train");
  add_file(app, "--trace", trace, "Write a trace of computation and communication for Perfetto");
}

void TrainOptions::add(CLI::App& app) {
  as_list(
      app.add_option("-m,--model", models,
                     fmt::format("{} (default mlp), or several; profiles of others are for `arlab "
                                 "plan`, which simulates, and `arlab replay`",
                                 names_of_models())))
      ->type_name("MODELS");
  add_data(app);
  app.add_option(
         "-b,--backend", backend,
         fmt::format("{}; default {}, under mpirun and srun {}; or {}: {}",
                     backend_names([](const collectives::Backend& b) {
                       return b.placement != collectives::Placement::colocated;
                     }),
                     backend_names([](const collectives::Backend& b) { return b.default_alone; }),
                     backend_names([](const collectives::Backend& b) { return b.default_in_job; }),
                     world().backend({}, 0).name, world().backend({}, 0).summary))
      ->type_name("NAME");
  add_shared(app, TrainingKind::trained);
  add_lengths(app);
  rates.add(app, learning);
  add_checkpoint(app);
  add_outputs(app);
  make_rare(app, {"--exchange", "--compute"});
}

std::vector<const training::Architecture*> TrainOptions::chosen_models() const {
  if (models.empty()) return {&training::find_architecture("mlp")};
  std::vector<const training::Architecture*> all;
  for (const std::string& name : without_repeats(models))
    all.push_back(&training::find_architecture(name));
  return all;
}

// Samples are kept in memory, with their order and their labels.
void check_fits_memory(Count samples, const training::Shape& shape) {
  const double bytes_each = 4. * shape.channels * shape.height * shape.width + 16;
  const double memory = machine_memory();
  if (static_cast<double>(samples) * bytes_each > memory)
    fail(Blame::usage,
         fmt::format("--data samples is {}: they take {:.0f} GB, but this machine has {:.0f} "
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
  if (o.feed.augment)
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
  learning.overlap = o.overlap;
  learning.segments = o.segments;
  learning.check_every = o.check_every;
  learning.micro_batches = static_cast<int>(o.micro_batches);
  learning.route_options.group_size = o.group;
  learning.options.gradients.aggregation = o.aggregation;
  o.rates.apply(learning);
  learning.rate.workers = workers;
  learning.rate.epochs = static_cast<double>(learning.epochs);
  return learning;
}

}  // namespace arlab::bench
