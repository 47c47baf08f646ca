#include "bench/training/training_spec.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <limits>

#include "algorithms/base/error.hpp"
#include "algorithms/base/quantities.hpp"
#include "bench/measure/timeout.hpp"
#include "bench/options/network_spec.hpp"
#include "bench/options/options.hpp"
#include "bench/options/settings.hpp"
#include "bench/options/topology_options.hpp"
#include "bench/text/comma_list.hpp"
#include "bench/text/units.hpp"
#include "bench/training/settings_file.hpp"
#include "training/gpus/gpu.hpp"

namespace arlab::bench {
namespace {

using Text = const std::string&;

// Help by kind of training: trained, planned, replayed.
struct Help {
  const char* by_kind[3];
  const char* of(TrainingKind kind) const { return by_kind[static_cast<std::size_t>(kind)]; }
};

constexpr Help kWorkerNames{
    {"-w,-p,--workers,--ranks", "-w,-p,--gpus,--workers,--ranks", "-w,-p,--workers,--ranks"}};
constexpr Help kWorkerHelp{
    {"Workers: 4, or 1,2,4 to compare; under mpirun the job's ranks, or fewer besides",
     "Workers, one per GPU: 8,64,512 (default), up to 16384",
     "Workers: 2 (default), or 1,2,4; under mpirun the job's ranks, or fewer besides"}};
constexpr Help kStrategyHelp{
    {"Any of `arlab list strategies`, with parameters as in diloco:outer_rate=0.7,fragments=4; "
     "default: by backend",
     "Any of `arlab list strategies`, with parameters as in diloco:every=16,fragments=4 (default "
     "multi_worker)",
     "Any of `arlab list strategies`, with parameters as in diloco:every=16,fragments=4; default "
     "mirrored, or multi_worker in a job"}};
constexpr Help kAlgorithmHelp{
    {"Allreduce algorithm: any of `arlab list algorithms` (tree is a hierarchical copy), native, "
     "or auto, which times all of them first (default ring; tree for central_storage); or several",
     "Allreduce algorithm: auto (default), the fastest of a few for a bucket on this network; or "
     "any of `arlab list algorithms`; or several. With --breakdown by default that of the strategy",
     "Allreduce algorithm: any of `arlab list algorithms`, native, or auto (default: by strategy); "
     "or several"}};
constexpr Help kExchangeHelp{
    {"How gradients are exchanged: segments=4 per allreduce (default 1); groups=8 ranks per "
     "machine, for hierarchical and hsdp (default: the actual number); overlap=off: after the "
     "backward pass; aggregation of compressed ones: allreduce, all_gather, requantize, or auto "
     "(default), the one of these that receives the fewest bytes; or, of sparse ones, doubling or "
     "balanced; "
     "check_every=100 (default) steps between comparisons of the replicas, 0: per epoch",
     "How gradients are exchanged: segments=4 per allreduce (default 1); groups=8 ranks per node, "
     "for hierarchical and hsdp (default: those of the topology)",
     "How gradients are exchanged: segments=4 per allreduce (default 1); groups=8 ranks per "
     "machine, for hierarchical and hsdp (default: the actual number); overlap=off: after the "
     "backward pass"}};
constexpr Help kComputeHelp{
    {"How workers compute: micro_batches=4 parts of each batch (default 1); sync_bn=on: batch "
     "normalization over the batches of all workers. Virtual ones: speed=1T multiply-adds per "
     "second (default); slowdown=2.5, or 1,1,2.5 by rank; jitter=0.1, random extra time up to this "
     "fraction; codec=1.2,0.4 nanoseconds per element to encode and to decode (default: measured "
     "here, so that times differ slightly between runs)",
     "How workers compute: gpu=a100, or several of `arlab list gpus` (default: the profile's), "
     "with "
     "precision=float32, tf32 or mixed (default: the GPU's usual one); price=1.8 US dollars per "
     "GPU "
     "and hour and watts=650 per GPU (default: its data sheet's), or a list by gpu: columns of "
     "cost and energy; slowdown=2.5, or 1,1,2.5 by rank; jitter=0.1, random extra time up to this "
     "fraction, from seed=1 (default; also of "
     "routes); codec=1.2,0.4 nanoseconds per element to encode and to decode, 0 for none (default: "
     "the bytes that the compressor moves, at 80% of the GPU's memory rate)",
     "How workers compute: slowdown=2.5, or 1,1,2.5 by rank; of backend virtual and --tune also "
     "codec=1.2,0.4 nanoseconds per element to encode and to decode (default 0,0; with --tune "
     "1,1)"}};
constexpr Help kBatchHelp{
    {"Samples of all workers together per step (default 64); or per_worker=NUMBER, of each: with "
     "more workers, a step has more samples (weak scaling)",
     "Samples of all workers together per step; or per_worker=NUMBER, of each (default: the "
     "profile's); the passes take time in proportion",
     "Samples of all workers together per step; or per_worker=NUMBER, of each (default: the "
     "profile's); the passes take time in proportion"}};
constexpr Help kNetworkMore{
    {"; of backend virtual, where it is a rate or a topology, and of the search of --tune", "",
     "; of backend virtual, and of the search of --tune"}};
constexpr Help kTuneHelp{
    {"Search bucket sizes, schedulers and algorithms in simulation, train with the best until the "
     "accuracy of --target, and write the fastest to reach it for --settings; tries the "
     "compressors that are given",
     "",
     "Search bucket sizes, schedulers and algorithms in simulation, confirm the best three by "
     "replays, and write the fastest for --settings; tries the compressors that are given"}};

SettingReader sample_count(std::string setting, Count& value, Count most) {
  return {std::move(setting), [&value, most](Text text, Text what) {
            value = parse_count(text, what);
            if (value < 1 || value > most)
              fail(Blame::usage, fmt::format("{} is {}: give 1 to {}", what, value, most));
          }};
}

SettingReader positive_numbers(std::string setting, std::vector<double>& numbers) {
  return {std::move(setting), [&numbers](Text text, Text what) {
            numbers = parse_numbers(text, what);
            for (const double number : numbers)
              if (!(number > 0))
                fail(Blame::usage, fmt::format("{} has {:g}: give numbers above 0", what, number));
          }};
}

}  // namespace

void TrainingSpec::add_exchange(CLI::App& app, TrainingKind kind) {
  constexpr std::int32_t kMost = std::numeric_limits<std::int32_t>::max();
  const Rank most_in_group = kind == TrainingKind::trained   ? kMost
                             : kind == TrainingKind::planned ? kMostSimulatedWorkers
                                                             : 1024;
  const std::int32_t most_segments = kind == TrainingKind::trained ? kMost : 1024;
  std::vector<SettingReader> readers{
      {"groups",
       [this, most_in_group](Text text, Text what) {
         group = checked_number(parse_count(text, what), what, 1, most_in_group);
       }},
      {"segments", [this, most_segments](Text text, Text what) {
         segments = checked_number(parse_count(text, what), what, 1, most_segments);
       }}};
  if (kind != TrainingKind::planned) readers.push_back(switch_reader("overlap", overlap));
  if (kind == TrainingKind::trained) {
    readers.push_back(word_reader("aggregation", aggregation));
    readers.push_back({"check_every", [this](Text text, Text what) {
                         check_every = checked_number(parse_count(text, what), what, 0, kMost);
                       }});
  }
  add_settings(app, "--exchange", kExchangeHelp.of(kind), noting(std::move(readers), set_));
}

void TrainingSpec::add_compute(CLI::App& app, TrainingKind kind) {
  std::vector<SettingReader> readers{
      {"slowdown", [this](Text text, Text what) { slowdown = parse_numbers(text, what); }},
      word_reader("codec", codec_cost)};
  if (kind != TrainingKind::replayed)
    readers.push_back(
        {"jitter", [this](Text text, Text what) { jitter = parse_number(text, what); }});
  if (kind == TrainingKind::planned) {
    readers.push_back({"gpu", [this](Text text, Text) {
                         gpus = without_repeats(parts_of_list(text));
                         for (const std::string& one : gpus) training::find_gpu(one);  // or throws
                       }});
    readers.push_back({"precision", [this](Text text, Text) {
                         training::find_precision(text);  // or throws
                         precision = text;
                       }});
    readers.push_back(positive_numbers("price", price));
    readers.push_back(positive_numbers("watts", watts));
    readers.push_back({"seed", [this](Text text, Text what) { seed = parse_seed(text, what); }});
  }
  if (kind == TrainingKind::trained) {
    readers.push_back(word_reader("speed", speed));
    readers.push_back({"micro_batches", [this](Text text, Text what) {
                         micro_batches = checked_number(parse_count(text, what), what, 1,
                                                        std::numeric_limits<std::int32_t>::max());
                       }});
    readers.push_back(switch_reader("sync_bn", sync_batch_norm));
  }
  add_settings(app, "--compute", kComputeHelp.of(kind), noting(std::move(readers), set_));
}

void TrainingSpec::add_shared(CLI::App& app, TrainingKind kind) {
  constexpr Count kMostSamples = 1 << 24;
  app_ = &app;
  if (kind == TrainingKind::planned) worker_name_ = "--gpus";
  as_list(app.add_option(kWorkerNames.of(kind), workers, kWorkerHelp.of(kind)))
      ->type_name("COUNTS");
  strategy.add(app, kStrategyHelp.of(kind));
  as_list(app.add_option("-a,--algorithm", algorithms, kAlgorithmHelp.of(kind)))
      ->type_name("NAMES");
  app.add_option("--scheduler", schedulers,
                 "Order of gradient messages: any of `arlab list schedulers`, with parameters as "
                 "in priority:slice=4M; default buckets (1M first, then 25M); or several")
      ->type_name("SPECS");
  app.add_option("--compressor", compressors,
                 "Compression of gradients: any of `arlab list compressors`, with parameters as in "
                 "topk:ratio=0.01; default none; or several")
      ->type_name("SPECS");
  add_exchange(app, kind);
  add_compute(app, kind);
  const Count most = kind == TrainingKind::trained ? Count{1} << 30 : kMostSamples;
  add_settings(
      app, "-B,--batch,--batch-size,--global-batch", kBatchHelp.of(kind),
      noting({sample_count("", batch, most), sample_count("per_worker", local_batch, most)}, set_))
      ->type_name("NUMBER");
  app.add_option("--network", networks, network_help("10G") + kNetworkMore.of(kind))
      ->allow_extra_args(false)
      ->take_all()
      ->type_name("NETWORKS");
  app.add_option("--json", json, "Write one record per row as JSON Lines to this file; - is stdout")
      ->type_name("FILE");
  add_settings_option(app);
  if (kind == TrainingKind::planned) return;
  app.add_option("--tune", tune, kTuneHelp.of(kind))->type_name("FILE");
  add_timeout(app, patience);
}

bool TrainingSpec::given(std::string_view what) const {
  if (what.find(' ') != std::string_view::npos) return set_.contains(what);
  return app_ && app_->get_option(std::string(what))->count() > 0;
}

void TrainingSpec::needs(std::string_view what, bool has_effect, std::string_view needed) const {
  if (given(what) && !has_effect) fail_without_effect(what, needed);
}

std::vector<Rank> TrainingSpec::parsed_workers(const std::vector<std::string>& usual,
                                               Rank most) const {
  std::vector<Rank> all;
  for (const Count n : parse_counts(workers.empty() ? usual : workers, worker_name_))
    all.push_back(checked_number(n, worker_name_, 1, most));
  return all;
}

void TrainingSpec::complete() {
  if (set_.contains("--batch") && set_.contains("--batch per_worker"))
    fail(Blame::usage,
         fmt::format("--batch is {} of all workers together, and per_worker={} of each: give one",
                     batch, local_batch));
  algorithms = without_repeats(algorithms);
  for (auto* specs : {&schedulers, &compressors}) *specs = without_repeats(split_specs(*specs));
}

void TrainingSpec::check_compute() const {
  for (const double factor : slowdown)
    if (!(factor > 0) || !(factor <= 1e6))
      fail(Blame::usage, fmt::format("--compute slowdown has the factor {}: give factors above 0 "
                                     "and at most 1e6, such as 1 or 2.5",
                                     factor));
  if (!(jitter >= 0) || !(jitter <= 1e6))
    fail(Blame::usage, fmt::format("--compute jitter is {}: give 0 to 1e6, such as 0.1", jitter));
}

std::vector<double> TrainingSpec::slowdown_by_rank(Rank all_workers) const {
  if (slowdown.size() != 1) return slowdown;
  if (slowdown.front() == 1) return {};
  return std::vector<double>(static_cast<std::size_t>(all_workers), slowdown.front());
}

}  // namespace arlab::bench
