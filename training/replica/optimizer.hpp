// Optimizer: SGD, momentum and Adam on flat spans, with PyTorch's formulas, on the host or on a
// device. Weight decay is that of torch.optim.SGD and torch.optim.Adam: it is part of the gradient.
//
// It works on any part of the variables, because a parameter server holds only some of them and
// each bucket is applied on arrival. Kingma & Ba, Adam, ICLR 2015; momentum: torch.optim.SGD.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <string_view>

#include "algorithms/problem.hpp"
#include "training/replica/device_math.hpp"

namespace arlab::training {

struct OptimizerOptions {
  using Kind = OptimizerKind;
  Kind kind = Kind::sgd;
  float momentum = 0.8F;
  float beta1 = 0.9F, beta2 = 0.999F, epsilon = 1e-8F;
  float weight_decay = 0;
};

std::string_view name(OptimizerOptions::Kind kind);
/// Throws Error(usage) naming the nearest name. Does not find `none`.
OptimizerOptions::Kind find_optimizer(std::string_view text);
/// Throws Error(usage) naming the invalid value.
void check(const OptimizerOptions& options);

class Optimizer {
 public:
  /// `math`: of the device whose memory holds weights and gradients, and then the moments, too;
  /// null: the host's.
  Optimizer(const OptimizerOptions& options, Count elements,
            std::shared_ptr<const DeviceMath> math = nullptr);

  ~Optimizer();
  Optimizer(const Optimizer&) = delete;
  Optimizer& operator=(const Optimizer&) = delete;

  /// Call once per step, before apply().
  void start_step(double learning_rate);
  /// Updates the weights from `first` on with their gradients. Apply each element once per step. On
  /// a device, this is enqueued.
  void apply(Count first, std::span<float> weights, std::span<const float> gradients);

  /// Returns the state for a checkpoint: all first moments, then all second moments. Of a device,
  /// it is that of the last fetch(), and a change takes effect with give().
  std::span<float> moments() { return {moments_.get(), size_}; }
  void fetch();
  void give();
  const OptimizerOptions& options() const { return options_; }
  Count steps() const { return steps_; }
  void set_steps(Count steps) { steps_ = steps; }

 private:
  Update update() const;
  std::span<float> there() const;

  OptimizerOptions options_;
  Count elements_;
  struct Free {
    void operator()(float* memory) const { std::free(memory); }
  };
  std::size_t size_;                        // of the moments
  std::unique_ptr<float[], Free> moments_;  // zeros, without memory of their own until they change
  std::shared_ptr<const DeviceMath> math_;
  collectives::DeviceMemory on_device_;  // the moments there
  Count steps_ = 0;
  double learning_rate_ = 0;
};

}  // namespace arlab::training
