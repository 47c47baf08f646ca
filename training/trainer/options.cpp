#include "training/trainer/options.hpp"

#include <charconv>
#include <iterator>

namespace arlab::training {
namespace {

// Writes all digits, so that different numbers have different texts.
std::string text_of(double x) {
  char digits[32];
  const auto end = std::to_chars(digits, std::end(digits), x).ptr;
  return {digits, end};
}

std::string text_of(const OptimizerOptions& o) {
  std::string text(name(o.kind));
  if (o.kind == OptimizerOptions::Kind::momentum) text += ' ' + text_of(o.momentum);
  if (o.kind == OptimizerOptions::Kind::adam)
    text += ' ' + text_of(o.beta1) + ' ' + text_of(o.beta2);
  return text;
}

std::string text_of(const LearningRate& r) {
  std::string text = text_of(r.base) + ", scaled " + std::string(name(r.scaling)) +
                     ", warm-up " + text_of(r.warm_up) + ", " +
                     std::string(name(r.decay));
  if (r.scaling != RateScaling::none) text += ", " + std::to_string(r.workers) + " workers";
  if (r.decay == RateDecay::cosine) text += ", " + text_of(r.epochs) + " epochs";
  if (r.decay == RateDecay::steps)
    for (const RateDrop& d : r.drops)
      text += ", " + text_of(d.epoch) + ":" + text_of(d.factor);
  return text;
}

}  // namespace

std::vector<RunParameter> make_run_parameters(const TrainerOptions& l) {
  const StrategyOptions& o = l.options;
  return {{"the strategy", l.strategy + ", " + std::to_string(o.servers) + " servers, bound " +
                               std::to_string(o.bound) + ", every " + std::to_string(o.every)},
          {"the optimizer", text_of(l.optimizer)},
          {"the learning rate", text_of(l.rate)},
          {"micro-batches", std::to_string(l.micro_batches)},
          {"the schedule", text(o.gradients), o.gradients.compressor.has_value()},
          {"the speed", text_of(l.speed), false},
          {"epochs", std::to_string(l.epochs), false},
          {"steps", std::to_string(l.max_steps), false},
          {"the comparisons", "every " + std::to_string(l.check_every), false}};
}

}  // namespace arlab::training
