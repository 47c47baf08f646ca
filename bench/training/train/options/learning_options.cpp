#include "bench/training/train/options/learning_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>

#include "algorithms/base/error.hpp"
#include "bench/options/options.hpp"

namespace arlab::bench {

void LearningOptions::add(CLI::App& app, training::TrainerOptions& learning) {
  app.add_option("--optimizer", optimizer, "sgd, momentum (default) or adam")->type_name("NAME");
  app.add_option("--momentum", learning.optimizer.momentum,
                 "Of optimizer momentum (default 0.8), as in torch.optim.SGD")
      ->type_name("PART");
  app.add_option("--weight-decay,--wd", learning.optimizer.weight_decay,
                 "This part of each weight is added to its gradient, as in torch.optim (default 0)")
      ->type_name("PART");
  app.add_option("--lr", learning.rate.base, "Learning rate of one worker (default 0.05)")
      ->type_name("RATE");
  app.add_option("--lr-scaling", rate_scaling,
                 "Scaling with the number of workers: none (default), linear or sqrt")
      ->type_name("NAME");
  app.add_option("--lr-decay", rate_decay,
                 "constant (default), steps (at --lr-decay-epochs) or cosine (to 0 at the end)")
      ->type_name("NAME");
  as_list(app.add_option("--lr-decay-epochs,--lr-milestones", decay_epochs,
                         "Epochs, counted from 0, at which the rate drops (default 3,7)"))
      ->type_name("EPOCHS");
  app.add_option("--lr-decay-factor,--lr-gamma", decay_factor,
                 "Each drop multiplies the rate by this (default 0.1)")
      ->type_name("PART");
  app.add_option("--lr-warmup-epochs", learning.rate.warm_up,
                 "Epochs during which the rate rises from that of one worker to the scaled one "
                 "(default 0)")
      ->type_name("EPOCHS");
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
    fail(Blame::usage, fmt::format("--momentum is {}: give 0 or more, below 1", momentum));
  if (!(weight_decay >= 0) || !std::isfinite(weight_decay))
    fail(Blame::usage,
         fmt::format("--weight-decay is {}: give 0 or more, such as 0.0001", weight_decay));
  if (decay_factor && !(*decay_factor > 0 && *decay_factor < 1))
    fail(Blame::usage,
         fmt::format("--lr-decay-factor is {}: give a factor above 0 and below 1", *decay_factor));
  training::TrainerOptions all = learning;
  apply(all);
  all.rate.epochs = static_cast<double>(learning.epochs);
  check(all.rate);
  const bool drops = all.rate.decay == training::RateDecay::steps;
  if (!decay_epochs.empty() && !drops) fail_without_effect("--lr-decay-epochs", "--lr-decay steps");
  if (decay_factor && !drops) fail_without_effect("--lr-decay-factor", "--lr-decay steps");
  if (all.rate.warm_up > 0 && all.rate.scaling == training::RateScaling::none &&
      all.rate.decay != training::RateDecay::cosine)
    fail_without_effect("--lr-warmup-epochs",
                        "--lr-scaling linear or sqrt, to whose rate it rises");
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
