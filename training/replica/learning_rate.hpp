// Learning rate: base rate x scaling with workers x decay over epochs, after a warm-up.
//
// A global batch of n times the samples takes n times (linear) or sqrt(n) times the rate; from the
// rate of one worker it gets there over the warm-up. Goyal et al., Accurate, large minibatch SGD,
// arXiv:1706.02677; Krizhevsky, arXiv:1404.5997 (sqrt); Loshchilov and Hutter, arXiv:1608.03983
// (cosine).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "algorithms/problem.hpp"

namespace arlab::training {

enum class RateScaling : std::uint8_t { none, linear, sqrt };
enum class RateDecay : std::uint8_t { constant, steps, cosine };

std::string_view name(RateScaling scaling);
std::string_view name(RateDecay decay);
/// Both throw Error(usage) that lists the names.
RateScaling find_rate_scaling(std::string_view text);
RateDecay find_rate_decay(std::string_view text);

/// From this epoch on, counted from 0, the rate is `factor` times what it would be without decay.
struct RateDrop {
  double epoch = 0;
  double factor = 1;
};

struct LearningRate {
  double base = 1e-3;  ///< of one worker
  RateScaling scaling = RateScaling::none;
  Rank workers = 1;
  double warm_up = 0;  ///< epochs
  RateDecay decay = RateDecay::constant;
  std::vector<RateDrop> drops = {{3, 0.1}, {7, 0.01}};  ///< 1e-3, 1e-4, 1e-5 with the default base
  double epochs = 10;                                   ///< when the cosine is down to 0
};

/// Throws Error(usage) that names the value that makes no sense.
void check(const LearningRate& rate);

/// In step `step` of the whole run. Warm-up and cosine change with every step, drops with epochs.
double rate_at(const LearningRate& rate, Count step, Count steps_per_epoch);

}  // namespace arlab::training
