#include "training/trainer/options.hpp"

#include <charconv>
#include <iterator>

namespace arlab::training {
namespace {

// Writes all digits, so that different numbers have different texts.
std::string to_string(double x) {
  char digits[32];
  const auto end = std::to_chars(digits, std::end(digits), x).ptr;
  return {digits, end};
}

std::string to_string(const OptimizerOptions& o) {
  std::string text(name(o.kind));
  if (o.kind == OptimizerOptions::Kind::momentum) text += ' ' + to_string(o.momentum);
  if (o.kind == OptimizerOptions::Kind::adam)
    text += ' ' + to_string(o.beta1) + ' ' + to_string(o.beta2);
  if (o.weight_decay > 0) text += ", weight decay " + to_string(o.weight_decay);
  return text;
}

}  // namespace

std::string to_string(const LearningRate& r) {
  std::string text = to_string(r.base) + ", scaled " + std::string(name(r.scaling)) + ", warm-up " +
                     to_string(r.warm_up) + ", " + std::string(name(r.decay));
  if (r.scaling != RateScaling::none) text += ", " + std::to_string(r.workers) + " workers";
  if (r.decay == RateDecay::cosine) text += ", " + to_string(r.epochs) + " epochs";
  if (r.decay == RateDecay::steps)
    for (const RateDrop& d : r.drops) text += ", " + to_string(d.epoch) + ":" + to_string(d.factor);
  return text;
}

Rank servers_of(const TrainerOptions& l) {
  return static_cast<Rank>(parameter_of(find_strategy(l.strategy), l.options.values, "servers", 0));
}

std::vector<RunParameter> make_run_parameters(const TrainerOptions& l) {
  const StrategyOptions& o = l.options;
  return {{"the strategy", text(find_strategy(l.strategy), o.values)},
          {"the optimizer", to_string(l.optimizer)},
          {"the learning rate", to_string(l.rate)},
          {"micro-batches", std::to_string(l.micro_batches)},
          {"the schedule", to_string(o.gradients), o.gradients.compressor.has_value()},
          {"the speed", to_string(l.speed), false},
          {"epochs", std::to_string(l.epochs), false},
          {"steps", std::to_string(l.max_steps), false},
          {"the comparisons", "every " + std::to_string(l.check_every), false},
          {"the reports", "every " + std::to_string(l.report_every), false}};
}

}  // namespace arlab::training
