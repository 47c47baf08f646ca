// Replica: one worker's copy of a model as named spans of floats, independent of the framework.
//
// All weights lie in one array, in the order in which the model defines its variables, and all
// gradients in another array of the same layout. So a bucket of neighboring variables is one span.
// Only the files of training/models know the framework.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/problem.hpp"
#include "training/replica/device_math.hpp"
#include "training/replica/model_graph.hpp"

namespace arlab::training {

/// A trained parameter.
struct Variable {
  std::string name;  ///< such as "0.weight"
  std::vector<Count> shape = {};
  Count offset = 0;  ///< of its first element in weights() and gradients()
  Count elements = 0;
  Count work = 0;  ///< multiply-adds in the forward pass of a sample; 0: unknown
  /// Neighbors of one stage are used together: announced one after another before the stage runs.
  /// -1: a stage of its own.
  Count stage = -1;
  bool operator==(const Variable&) const = default;
};

/// Samples one after another, with their classes.
struct Samples {
  std::span<const float> inputs;
  std::span<const std::int64_t> labels;
};

/// Sums over samples, so that the results of workers can be added.
struct BatchResult {
  double loss = 0;
  Count correct = 0;
  Count samples = 0;

  BatchResult& operator+=(const BatchResult& other) {
    loss += other.loss;
    correct += other.correct;
    samples += other.samples;
    return *this;
  }
};

/// What is trained. All spans keep their addresses.
class Parameters {
 public:
  virtual ~Parameters() = default;
  Parameters(const Parameters&) = delete;
  Parameters& operator=(const Parameters&) = delete;

  std::span<const Variable> variables() const { return variables_; }
  /// Where weights and gradients lie in a device's memory; null: on the host, as weights() and
  /// gradients() show.
  DeviceVectors* on_device() const { return memory_.on_device; }
  /// On the host. With on_device(), the weights of the last fetch(), and a change takes effect with
  /// give().
  std::span<float> weights() const { return memory_.weights; }
  /// On the host; empty with on_device().
  std::span<float> gradients() const { return memory_.gradients; }
  /// Returns untrained state, running means and variances, as weights() does.
  std::span<float> statistics() const { return memory_.statistics; }
  /// With on_device(): copy weights and statistics from the device to the host, and back.
  virtual void fetch() {}
  virtual void give() {}

  /// Called with a variable's index when its gradient is complete: once per variable and backward
  /// pass, on the thread that runs the pass. Afterwards the gradient may be changed; with
  /// on_device(), after what is in the stream of its math by then.
  using Ready = std::function<void(std::size_t variable)>;
  void on_ready(Ready ready) { ready_ = std::move(ready); }

 protected:
  /// What the public functions show.
  struct Memory {
    std::span<float> weights = {}, gradients = {}, statistics = {};
    DeviceVectors* on_device = nullptr;
  };
  Parameters() = default;  ///< The derived class then sets both members.
  Parameters(std::vector<Variable> variables, const Memory& memory)
      : variables_(std::move(variables)), memory_(memory) {}

  /// Announces a gradient that is complete.
  void is_ready(std::size_t variable) const {
    if (ready_) ready_(variable);
  }

  std::vector<Variable> variables_;
  Memory memory_;

 private:
  Ready ready_;
};

/// Parameters with the forward and backward passes that use them.
class Replica : public Parameters {
 public:
  /// Called with a variable's index before the forward pass of learn() uses it, on the thread that
  /// runs the pass. Until then its weight may still change.
  using Need = std::function<void(std::size_t variable)>;
  void on_need(Need need) { need_ = std::move(need); }
  /// Called with a variable's index before the backward pass of learn() uses its weight, stage by
  /// stage, the last one first.
  void on_need_backward(Need need) { need_backward_ = std::move(need); }

  /// Runs forward and backward passes, and adds the gradient of `scale` x (sum of the samples'
  /// losses) to gradients(). Returns when the passes are done, on a device as well. Throws
  /// Error(usage) if the samples do not fit the model.
  virtual BatchResult learn(const Samples& samples, float scale) = 0;

  /// Runs the forward pass with the running statistics.
  virtual BatchResult evaluate(const Samples& samples) = 0;

  /// Returns the operations of a forward pass of one sample, with the running statistics; empty if
  /// unknown.
  virtual ModelGraph graph() { return {}; }

 protected:
  using Parameters::Parameters;
  /// Announce that a pass is about to use a weight.
  void needs(std::size_t variable) const {
    if (need_) need_(variable);
  }
  void needs_backward(std::size_t variable) const {
    if (need_backward_) need_backward_(variable);
  }

 private:
  Need need_, need_backward_;
};

}  // namespace arlab::training
