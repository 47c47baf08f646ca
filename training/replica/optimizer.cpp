#include "training/replica/optimizer.hpp"

#include <algorithm>
#include <cmath>
#include <new>
#include <string>
#include <utility>

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

void apply_adam(float* w, const float* g, float* m, float* v, std::size_t n, const Update& s) {
  for (std::size_t i = 0; i < n; ++i) {
    m[i] = s.beta1 * m[i] + (1 - s.beta1) * g[i];
    v[i] = s.beta2 * v[i] + (1 - s.beta2) * g[i] * g[i];
    w[i] -= s.rate * m[i] / (std::sqrt(v[i]) * s.scale + s.epsilon);
  }
}

void apply_on_host(const Update& s, const UpdatedPart& part) {
  const auto n = static_cast<std::size_t>(part.elements);
  switch (s.kind) {
    case Kind::none:
      return;
    case Kind::sgd:
      return apply_sgd(part.weights, part.gradients, n, s.rate);
    case Kind::momentum:
      return apply_momentum(part.weights, part.gradients, part.mean, n, s.rate, s.momentum);
    case Kind::adam:
      return apply_adam(part.weights, part.gradients, part.mean, part.square, n, s);
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

Optimizer::Optimizer(const OptimizerOptions& options, Count elements,
                     std::shared_ptr<const DeviceMath> math)
    : options_(options),
      elements_(elements),
      size_(static_cast<std::size_t>(moments_of(options.kind) * elements)),
      moments_(static_cast<float*>(std::calloc(std::max<std::size_t>(size_, 1), sizeof(float)))),
      math_(std::move(math)) {
  if (!moments_) throw std::bad_alloc();
  if (!math_ || size_ == 0) return;
  on_device_ = math_->device->allocate(size_ * sizeof(float));
  math_->clear(there());
}

void Optimizer::fetch() {
  if (math_) math_->copy(moments(), there());
}
void Optimizer::give() {
  if (math_) math_->copy(there(), moments());
}

std::span<float> Optimizer::there() const {
  return {reinterpret_cast<float*>(on_device_.data()), size_};
}

void Optimizer::start_step(double learning_rate) {
  ++steps_;
  learning_rate_ = learning_rate;
}

Update Optimizer::update() const {
  Update step{.kind = options_.kind,
              .rate = static_cast<float>(learning_rate_),
              .momentum = options_.momentum,
              .beta1 = options_.beta1,
              .beta2 = options_.beta2,
              .epsilon = options_.epsilon};
  if (options_.kind != Kind::adam) return step;
  const auto t = static_cast<double>(steps_);
  const double of_mean = 1 - std::pow(double{options_.beta1}, t);
  const double of_square = 1 - std::pow(double{options_.beta2}, t);
  step.rate = static_cast<float>(learning_rate_ / of_mean);
  step.scale = static_cast<float>(1 / std::sqrt(of_square));
  return step;
}

void Optimizer::apply(Count first, std::span<float> weights, std::span<const float> gradients) {
  expects(weights.size() == gradients.size(), "weights and gradients differ in length");
  UpdatedPart part{.weights = weights.data(),
                   .gradients = gradients.data(),
                   .elements = static_cast<Count>(weights.size())};
  float* const moments = math_ ? there().data() : moments_.get();
  if (size_ > 0) part.mean = moments + first;
  if (options_.kind == Kind::adam) part.square = part.mean + elements_;
  if (math_)
    math_->update(update(), part);
  else
    apply_on_host(update(), part);
}

}  // namespace arlab::training
