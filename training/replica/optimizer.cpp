#include "training/replica/optimizer.hpp"

#include <algorithm>
#include <cmath>
#include <new>
#include <string>
#include <utility>

#include "algorithms/base/error.hpp"
#include "algorithms/base/names.hpp"
#include "collectives/gpu/device.hpp"

namespace arlab::training {
namespace {

using Kind = OptimizerOptions::Kind;
constexpr Kind kKinds[] = {Kind::sgd, Kind::momentum, Kind::adam};

Count moments_of(Kind kind) { return kind == Kind::adam ? 2 : kind == Kind::momentum ? 1 : 0; }

// Without decay, gradients keep their bits.
float decayed(float gradient, float weight, float decay) {
  return decay == 0 ? gradient : gradient + decay * weight;
}

void apply_sgd(float* w, const float* g, std::size_t n, const Update& s) {
  for (std::size_t i = 0; i < n; ++i) w[i] -= s.rate * decayed(g[i], w[i], s.decay);
}

void apply_momentum(float* w, const float* g, float* m, std::size_t n, const Update& s) {
  for (std::size_t i = 0; i < n; ++i) {
    m[i] = s.momentum * m[i] + decayed(g[i], w[i], s.decay);
    w[i] -= s.rate * m[i];
  }
}

void apply_adam(float* w, const float* g, float* m, float* v, std::size_t n, const Update& s) {
  for (std::size_t i = 0; i < n; ++i) {
    const float of = decayed(g[i], w[i], s.decay);
    m[i] = s.beta1 * m[i] + (1 - s.beta1) * of;
    v[i] = s.beta2 * v[i] + (1 - s.beta2) * of * of;
    w[i] -= s.rate * m[i] / (std::sqrt(v[i]) * s.scale + s.epsilon);
  }
}

void apply_on_host(const Update& s, const UpdatedPart& part) {
  const auto n = static_cast<std::size_t>(part.elements);
  switch (s.kind) {
    case Kind::none:
      return;
    case Kind::sgd:
      return apply_sgd(part.weights, part.gradients, n, s);
    case Kind::momentum:
      return apply_momentum(part.weights, part.gradients, part.mean, n, s);
    case Kind::adam:
      return apply_adam(part.weights, part.gradients, part.mean, part.square, n, s);
  }
}

}  // namespace

std::string_view name(Kind kind) {
  constexpr std::string_view kNames[] = {"sgd", "momentum", "adam", "none"};
  return kNames[static_cast<std::size_t>(kind)];
}

Kind find_optimizer(std::string_view text) { return find_named(kKinds, text, "optimizer"); }

void check(const OptimizerOptions& o) {
  if (!(o.momentum >= 0 && o.momentum < 1))
    fail(Blame::usage, "a momentum of " + std::to_string(o.momentum) +
                           " is not at least 0 and below 1: use one such as 0.9");
  if (!(o.weight_decay >= 0) || !std::isfinite(o.weight_decay))
    fail(Blame::usage, "a weight decay of " + std::to_string(o.weight_decay) +
                           " is negative or not finite: use 0 or more, such as 0.0001");
}

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

Optimizer::~Optimizer() {
  if (math_) math_->stream->settle();
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
              .decay = options_.weight_decay,
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
