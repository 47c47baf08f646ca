// Learning rate: the base rate, scaled with the number of workers and decayed over epochs, after a
// warm-up.
//
// n workers scale the rate by n (linear) or sqrt(n). The warm-up rises from the rate of one worker to
// the scaled rate. Goyal et al., Accurate, large minibatch SGD, arXiv:1706.02677; Krizhevsky,
// arXiv:1404.5997 (sqrt); Loshchilov and Hutter, arXiv:1608.03983 (cosine).
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
/// Both throw Error(usage) listing the names.
RateScaling find_rate_scaling(std::string_view text);
RateDecay find_rate_decay(std::string_view text);

/// From this epoch on, counted from 0, the rate is `factor` times the rate without decay.
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
  double epochs = 10;                                   ///< when the cosine reaches 0
};

/// Throws Error(usage) naming the invalid value.
void check(const LearningRate& rate);

/// Returns the rate of a step of the whole run. Warm-up and cosine change it in every step, drops in
/// every epoch.
double rate_at(const LearningRate& rate, Count step, Count steps_per_epoch);

}  // namespace arlab::training
