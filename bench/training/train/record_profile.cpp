#include "bench/training/train/record_profile.hpp"

#include <fmt/format.h>

#include "bench/results/context.hpp"
#include "bench/text/units.hpp"
#include "collectives/clock.hpp"
#include "training/data/pipeline.hpp"
#include "training/replica/optimizer.hpp"

namespace arlab::bench {
namespace {

constexpr int kWarmUp = 2, kRecorded = 10;  // steps

struct Passes {
  double forward = 0, backward = 0;  // seconds of all recorded steps
};

// The time between two events belongs to a variable. Between the last need and the first ready
// gradient are a forward pass and its backward pass, which takes twice as long.
class PassTimer {
 public:
  explicit PassTimer(std::size_t variables) : passes_(variables) {}

  void start() {
    needed_ = nothing();
    last_ = now();
  }
  void need(std::size_t variable) {
    const double took = lap();
    if (needed_ != nothing()) passes_[needed_].forward += took;
    needed_ = variable;
  }
  void ready(std::size_t variable) {
    const double took = lap();
    if (needed_ == nothing()) {
      passes_[variable].backward += took;
      return;
    }
    passes_[needed_].forward += took / 3;
    passes_[variable].backward += 2 * took / 3;
    needed_ = nothing();
  }
  void forget() { passes_.assign(passes_.size(), {}); }
  const std::vector<Passes>& passes() const { return passes_; }

 private:
  std::size_t nothing() const { return passes_.size(); }
  static double now() { return collectives::machine_clock().now(); }
  double lap() {
    const double before = last_;
    last_ = now();
    return last_ - before;
  }

  std::vector<Passes> passes_;
  std::size_t needed_ = 0;
  double last_ = 0;
};

// Variables "0.weight" and "0.bias" are tensors of layer "0".
std::vector<training::ModelProfile::Part> parts_of(std::span<const training::Variable> variables,
                                                   const std::vector<Passes>& passes) {
  std::vector<training::ModelProfile::Part> parts;
  for (std::size_t v = 0; v < variables.size(); ++v) {
    const std::string& name = variables[v].name;
    const std::size_t dot = name.rfind('.');
    const std::string layer = dot == name.npos ? name : name.substr(0, dot);
    if (parts.empty() || parts.back().name != layer) parts.push_back({.name = layer});
    training::ModelProfile::Part& part = parts.back();
    part.tensors.push_back(
        {dot == name.npos ? "value" : name.substr(dot + 1), variables[v].elements});
    const auto each = [](double seconds) {
      return to_time(seconds / kRecorded * kPicosecondsPerSecond);
    };
    part.forward += each(passes[v].forward);
    part.backward += each(passes[v].backward);
  }
  return parts;
}

}  // namespace

training::ModelProfile recorded_profile(const TrainOptions& options,
                                        const training::Architecture& architecture,
                                        const Datasets& data) {
  training::use_threads(options.threads);
  const auto replica = training::make_replica(architecture, {.seed = options.seed});
  training::TrainerOptions learning = options.learning;
  options.rates.apply(learning);
  training::Optimizer optimizer(learning.optimizer, static_cast<Count>(replica->weights().size()));
  training::Pipeline feed(data.train,
                          {.samples = data.train.samples,
                           .files = data.train.files,
                           .global_batch = options.batch_of(1),
                           .seed = options.seed},
                          options.feed.prefetch);
  PassTimer timer(replica->variables().size());
  replica->on_need([&](std::size_t v) { timer.need(v); });
  replica->on_ready([&](std::size_t v) { timer.ready(v); });
  double updates = 0;
  for (int step = 0; step < kWarmUp + kRecorded; ++step) {
    if (step == kWarmUp) timer.forget();
    const training::Batch batch = feed.next();
    const auto gradients = replica->gradients();
    std::fill(gradients.begin(), gradients.end(), 0.0F);
    timer.start();
    replica->learn({batch.values, batch.labels}, 1 / static_cast<float>(options.batch_of(1)));
    const double begin = collectives::machine_clock().now();
    optimizer.start_step(options.learning.rate.base);
    optimizer.apply(0, replica->weights(), gradients);
    if (step >= kWarmUp) updates += collectives::machine_clock().now() - begin;
  }
  const std::string measured =
      fmt::format("measured by arlab train --record-profile: mean of {} steps", kRecorded);
  return {
      .name = std::string(architecture.name),
      .device = fmt::format("{}, {} per worker", context(options.command)["cpu"].get<std::string>(),
                            show_plural(options.threads, "thread")),
      .samples = "images",
      .batch = options.batch_of(1),
      .optimizer = updates / kRecorded / static_cast<double>(replica->weights().size()) *
                   kPicosecondsPerSecond,
      .sources = {{"parameters", "the model of this name"},
                  {"forward_us", measured},
                  {"backward_us", measured},
                  {"optimizer_ps_per_parameter",
                   fmt::format("{}, optimizer {}", measured, options.rates.optimizer)}},
      .layers = parts_of(replica->variables(), timer.passes())};
}

}  // namespace arlab::bench
