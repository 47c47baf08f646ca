#include "training/replica/optimizer.hpp"

#include <algorithm>
#include <cmath>
#include <new>
#include <string>

#include "algorithms/base/error.hpp"
#include "algorithms/base/names.hpp"

namespace arlab::training {
namespace {

using Kind = OptimizerOptions::Kind;
constexpr Kind kKinds[] = {Kind::sgd, Kind::momentum, Kind::adam};

Count moments_of(Kind kind) { return kind == Kind::adam ? 2 : kind == Kind::momentum ? 1 : 0; }

void apply_sgd(float* w, const float* g, std::size_t n, float rate) {
  for (std::size_t i = 0; i < n; ++i) w[i] -= rate * g[i];
}

void apply_momentum(float* w, const float* g, float* m, std::size_t n, float rate, float momentum) {
  for (std::size_t i = 0; i < n; ++i) {
    m[i] = momentum * m[i] + g[i];
    w[i] -= rate * m[i];
  }
}

struct AdamStep {
  float beta1, beta2, epsilon;
  float rate;   // learning rate / bias correction of the mean
  float scale;  // 1 / sqrt(bias correction of the square)
};

void apply_adam(float* w, const float* g, float* m, float* v, std::size_t n, const AdamStep& s) {
  for (std::size_t i = 0; i < n; ++i) {
    m[i] = s.beta1 * m[i] + (1 - s.beta1) * g[i];
    v[i] = s.beta2 * v[i] + (1 - s.beta2) * g[i] * g[i];
    w[i] -= s.rate * m[i] / (std::sqrt(v[i]) * s.scale + s.epsilon);
  }
}

}  // namespace

std::string_view name(Kind kind) {
  switch (kind) {
    case Kind::sgd:
      return "sgd";
    case Kind::momentum:
      return "momentum";
    case Kind::adam:
      return "adam";
    case Kind::none:
      return "none";
  }
  return "";
}

Kind find_optimizer(std::string_view text) { return find_named(kKinds, text, "optimizer"); }

Optimizer::Optimizer(const OptimizerOptions& options, Count elements)
    : options_(options),
      elements_(elements),
      size_(static_cast<std::size_t>(moments_of(options.kind) * elements)),
      moments_(static_cast<float*>(std::calloc(std::max<std::size_t>(size_, 1), sizeof(float)))) {
  if (!moments_) throw std::bad_alloc();
}

void Optimizer::start_step(double learning_rate) {
  ++steps_;
  learning_rate_ = learning_rate;
}

void Optimizer::apply(Count first, std::span<float> weights, std::span<const float> gradients) {
  expects(weights.size() == gradients.size(), "weights and gradients differ in length");
  const std::size_t n = weights.size();
  const auto rate = static_cast<float>(learning_rate_);
  float* const mean = moments_.get() + first;
  switch (options_.kind) {
    case Kind::none:
      return;
    case Kind::sgd:
      return apply_sgd(weights.data(), gradients.data(), n, rate);
    case Kind::momentum:
      return apply_momentum(weights.data(), gradients.data(), mean, n, rate, options_.momentum);
    case Kind::adam: {
      const auto t = static_cast<double>(steps_);
      const double of_mean = 1 - std::pow(double{options_.beta1}, t);
      const double of_square = 1 - std::pow(double{options_.beta2}, t);
      const AdamStep step{options_.beta1, options_.beta2, options_.epsilon,
                          static_cast<float>(learning_rate_ / of_mean),
                          static_cast<float>(1 / std::sqrt(of_square))};
      return apply_adam(weights.data(), gradients.data(), mean, mean + elements_, n, step);
    }
  }
}

}  // namespace arlab::training
