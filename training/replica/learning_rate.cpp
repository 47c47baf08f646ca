#include "training/replica/learning_rate.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "algorithms/base/error.hpp"

namespace arlab::training {
namespace {

constexpr std::string_view kScalings[] = {"none", "linear", "sqrt"};
constexpr std::string_view kDecays[] = {"constant", "steps", "cosine"};

double scale(const LearningRate& rate) {
  const double workers = rate.workers;
  return rate.scaling == RateScaling::linear ? workers
         : rate.scaling == RateScaling::sqrt ? std::sqrt(workers)
                                             : 1;
}

double decayed(const LearningRate& rate, double epoch) {
  double factor = 1;
  if (rate.decay == RateDecay::steps)
    for (const RateDrop& drop : rate.drops)
      if (epoch >= drop.epoch) factor = drop.factor;
  if (rate.decay == RateDecay::cosine) {
    const double done = (epoch - rate.warm_up) / (rate.epochs - rate.warm_up);
    factor = (1 + std::cos(std::numbers::pi * std::clamp(done, 0.0, 1.0))) / 2;
  }
  return factor;
}

[[noreturn]] void wrong(const std::string& what) { fail(Blame::usage, what); }

}  // namespace

std::string_view name(RateScaling scaling) { return kScalings[static_cast<int>(scaling)]; }
std::string_view name(RateDecay decay) { return kDecays[static_cast<int>(decay)]; }

RateScaling find_rate_scaling(std::string_view text) {
  for (const auto s : {RateScaling::none, RateScaling::linear, RateScaling::sqrt})
    if (text == name(s)) return s;
  wrong("unknown learning-rate scaling '" + std::string(text) + "': use none, linear or sqrt");
}

RateDecay find_rate_decay(std::string_view text) {
  for (const auto d : {RateDecay::constant, RateDecay::steps, RateDecay::cosine})
    if (text == name(d)) return d;
  wrong("unknown learning-rate decay '" + std::string(text) + "': use constant, steps or cosine");
}

void check(const LearningRate& rate) {
  const auto is = [](const char* what, double value) {
    return std::string(what) + " of " + std::to_string(value);
  };
  if (!(rate.base > 0) || !std::isfinite(rate.base))
    wrong(is("a learning rate", rate.base) + " is not positive: use one above 0, such as 0.001");
  if (rate.workers < 1)
    wrong(std::to_string(rate.workers) + " workers cannot scale a learning rate: use at least 1");
  if (!(rate.warm_up >= 0) || !std::isfinite(rate.warm_up))
    wrong(is("a warm-up", rate.warm_up) + " epochs is negative or not finite: use 0 or more");
  if (rate.decay == RateDecay::cosine && !(rate.epochs > rate.warm_up))
    wrong(is("a cosine", rate.epochs) + " epochs ends before the warm-up: use more epochs");
  double before = 0;
  for (const RateDrop& drop : rate.drops) {
    if (!(drop.epoch >= before) || !std::isfinite(drop.epoch) || !(drop.factor >= 0) ||
        !std::isfinite(drop.factor))
      wrong(is("a drop", drop.factor) + " at epoch " + std::to_string(drop.epoch) +
            " is out of order or negative: use rising epochs and factors of 0 or more");
    before = drop.epoch;
  }
}

double rate_at(const LearningRate& rate, Count step, Count steps_per_epoch) {
  const double epoch = static_cast<double>(step) / static_cast<double>(steps_per_epoch);
  double factor = scale(rate);
  if (epoch < rate.warm_up) factor = 1 + (factor - 1) * epoch / rate.warm_up;
  return rate.base * factor * decayed(rate, epoch);
}

}  // namespace arlab::training
