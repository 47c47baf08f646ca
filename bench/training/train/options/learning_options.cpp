#include "bench/training/train/options/learning_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <utility>

#include "algorithms/base/error.hpp"
#include "algorithms/base/quantities.hpp"
#include "bench/options/options.hpp"
#include "bench/options/settings.hpp"
#include "bench/text/comma_list.hpp"

namespace arlab::bench {

namespace {

using Text = const std::string&;

// Sets a number, of whatever kind.
template <class Number>
SettingReader number_reader(std::string name, Number& value) {
  return {std::move(name), [&value](Text text, Text what) {
            value = static_cast<Number>(parse_number(text, what));
          }};
}

}  // namespace

void LearningOptions::add(CLI::App& app, training::TrainerOptions& learning) {
  add_settings(app, "--optimizer",
               "sgd, momentum (default) or adam; with momentum=0.8 (default) of optimizer "
               "momentum, and weight_decay=0 (default), the part of each weight that is added to "
               "its gradient, as in torch.optim: momentum:momentum=0.9,weight_decay=1e-4",
               {word_reader("", optimizer),
                {"momentum",
                 [this, &learning](Text text, Text what) {
                   learning.optimizer.momentum = static_cast<float>(parse_number(text, what));
                   sets_momentum = true;
                 }},
                number_reader("weight_decay", learning.optimizer.weight_decay)})
      ->type_name("SPEC");
  add_settings(
      app, "--lr",
      "Learning rate of one worker (default 0.05), as 0.1:scaling=linear,warmup=5: "
      "scaling with the number of workers: none (default), linear or sqrt; warmup=0 (default) "
      "epochs from the rate of one worker to the scaled one; decay=constant (default), cosine (to "
      "0 at the end), or steps, which multiply it by decay_factor=0.1 (default) at "
      "decay_epochs=3,7 (default), counted from 0",
      {number_reader("", learning.rate.base),
       word_reader("scaling", rate_scaling),
       word_reader("decay", rate_decay),
       {"decay_epochs", [this](Text text, Text what) { decay_epochs = parse_numbers(text, what); }},
       {"decay_factor", [this](Text text, Text what) { decay_factor = parse_number(text, what); }},
       number_reader("warmup", learning.rate.warm_up)})
      ->type_name("RATE");
}

training::RateDecay LearningOptions::decay() const {
  if (!rate_decay.empty()) return training::find_rate_decay(rate_decay);
  return decay_epochs.empty() && !decay_factor ? training::RateDecay::constant
                                               : training::RateDecay::steps;
}

void LearningOptions::check_values(const training::TrainerOptions& learning) const {
  const float momentum = learning.optimizer.momentum;
  const float weight_decay = learning.optimizer.weight_decay;
  if (!(momentum >= 0 && momentum < 1))
    fail(Blame::usage,
         fmt::format("--optimizer momentum is {}: give 0 or more, below 1", momentum));
  if (!(weight_decay >= 0) || !std::isfinite(weight_decay))
    fail(Blame::usage, fmt::format("--optimizer weight_decay is {}: give 0 or more, such as 0.0001",
                                   weight_decay));
  if (decay_factor && !(*decay_factor > 0 && *decay_factor < 1))
    fail(Blame::usage,
         fmt::format("--lr decay_factor is {}: give a factor above 0 and below 1", *decay_factor));
  training::TrainerOptions all = learning;
  apply(all);
  all.rate.epochs = static_cast<double>(learning.epochs);
  if (learning.max_steps > 0)  // set_epochs() knows how many epochs these are, and checks
    all.rate.epochs = std::max(all.rate.epochs, all.rate.warm_up + 1);
  check(all.rate);
  const bool drops = all.rate.decay == training::RateDecay::steps;
  if (!decay_epochs.empty() && !drops) fail_without_effect("--lr decay_epochs", "decay=steps");
  if (decay_factor && !drops) fail_without_effect("--lr decay_factor", "decay=steps");
  if (all.rate.warm_up > 0 && all.rate.scaling == training::RateScaling::none &&
      all.rate.decay != training::RateDecay::cosine)
    fail_without_effect("--lr warmup", "scaling=linear or sqrt, to whose rate it rises");
}

void LearningOptions::apply(training::TrainerOptions& learning) const {
  learning.optimizer.kind = training::find_optimizer(optimizer);
  training::LearningRate& rate = learning.rate;
  rate.scaling = training::find_rate_scaling(rate_scaling);
  rate.decay = decay();
  if (rate.decay != training::RateDecay::steps || (decay_epochs.empty() && !decay_factor)) return;
  const std::vector<double> usual{3, 7};
  rate.drops.clear();
  double factor = 1;
  for (const double epoch : decay_epochs.empty() ? usual : decay_epochs)
    rate.drops.push_back({epoch, factor *= decay_factor.value_or(0.1)});
}

}  // namespace arlab::bench
