// Training's own costs apart from a framework: making samples, ordering an epoch, checksums,
// checkpoints. Items are samples, bytes those of the values.
#include <benchmark/benchmark.h>

#include "training/checkpoint/checkpoint.hpp"
#include "training/data/pipeline.hpp"
#include "training/data/synthetic.hpp"
#include "training/io/crc32c.hpp"
#include "training/telemetry/histogram.hpp"

namespace arlab::bench::micro {
namespace {

const training::Shape kMnist{1, 28, 28}, kCifar{3, 32, 32};

void make_samples(benchmark::State& state, training::Shape shape, bool keep) {
  training::Dataset data = training::synthetic({.shape = shape, .samples = 2000});
  if (keep) data = training::cached(std::move(data));
  std::vector<float> values(static_cast<std::size_t>(shape.values()));
  for (Count i = 0; i < data.samples; ++i) data.sample(i, values);
  Count i = 0;
  for (auto _ : state) benchmark::DoNotOptimize(data.sample(++i % data.samples, values));
  state.SetItemsProcessed(state.iterations());
}

void make_batches(benchmark::State& state, training::Shape shape) {
  training::Pipeline pipeline(
      training::cached(training::synthetic({.shape = shape, .samples = 2000})),
      {.global_batch = 64}, 0);
  for (Count i = 0; i < pipeline.steps(); ++i) pipeline.next();
  for (auto _ : state) benchmark::DoNotOptimize(pipeline.next());
  state.SetItemsProcessed(state.iterations() * 64);
}

void order_epoch(benchmark::State& state) {
  training::Sampler sampler({.samples = state.range(0), .global_batch = 64});
  Count epoch = 0;
  for (auto _ : state) benchmark::DoNotOptimize(sampler.share({++epoch, 0}));
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

void checksum(benchmark::State& state) {
  const std::string bytes(static_cast<std::size_t>(state.range(0)), 'x');
  for (auto _ : state) benchmark::DoNotOptimize(training::crc32c(bytes));
  state.SetBytesProcessed(state.iterations() * state.range(0));
}

training::Checkpoint state_of(Count floats) {
  training::Checkpoint c;
  c.add("weights/0", training::Floats(static_cast<std::size_t>(floats), 0.5f));
  return c;
}

void read_checkpoint_of(benchmark::State& state) {
  const std::string bytes = training::encode_checkpoint(state_of(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(training::parse_checkpoint(bytes, "C"));
  state.SetBytesProcessed(state.iterations() * static_cast<Count>(bytes.size()));
}

void write_checkpoint_of(benchmark::State& state) {
  const training::Checkpoint c = state_of(state.range(0));
  const std::string path = "/tmp/arlab-micro.ckpt";
  for (auto _ : state) training::write_checkpoint(path, c);
  std::remove(path.c_str());
  state.SetBytesProcessed(state.iterations() * state.range(0) * 4);
}

void count_values(benchmark::State& state) {
  std::vector<float> values;
  for (Count i = 0; i < state.range(0); ++i) values.push_back(static_cast<float>(i % 997) - 498.5f);
  for (auto _ : state) benchmark::DoNotOptimize(training::make_histogram(values));
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

}  // namespace

void register_training() {
  for (const auto& [name, shape] : {std::pair("28x28x1", kMnist), std::pair("32x32x3", kCifar)}) {
    const std::string start = std::string("training/") + name;
    benchmark::RegisterBenchmark((start + "/synthetic").c_str(), make_samples, shape, false);
    benchmark::RegisterBenchmark((start + "/cached").c_str(), make_samples, shape, true);
    benchmark::RegisterBenchmark((start + "/batch").c_str(), make_batches, shape);
  }
  benchmark::RegisterBenchmark("training/order_epoch", order_epoch)->Arg(60'000);
  benchmark::RegisterBenchmark("training/crc32c", checksum)->Arg(64 << 10);
  benchmark::RegisterBenchmark("training/checkpoint/read", read_checkpoint_of)->Arg(2'770'634);
  benchmark::RegisterBenchmark("training/checkpoint/write", write_checkpoint_of)
      ->Arg(2'770'634)
      ->UseRealTime();
  benchmark::RegisterBenchmark("training/histogram", count_values)->Arg(101'770);
}

}  // namespace arlab::bench::micro
