// Replica: one worker's copy of a model, as strategies see it: named spans of floats.
//
// All weights lie in one array, in the order in which the model defines its variables, and all
// gradients in another of the same layout. So a bucket of neighbouring variables is one span, and
// only the files of training/models know the framework.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "algorithms/problem.hpp"

namespace arlab::training {

/// A trained parameter.
struct Variable {
  std::string name;  ///< such as "0.weight"
  std::vector<Count> shape = {};
  Count offset = 0;  ///< of its first element in weights() and gradients()
  Count elements = 0;
  Count work = 0;  ///< multiply-adds of a sample's forward pass with it; 0: not known
  bool operator==(const Variable&) const = default;
};

/// Samples one after the other, with their classes.
struct Samples {
  std::span<const float> inputs;
  std::span<const std::int64_t> labels;
};

/// Sums over samples, so that workers' outcomes can be added.
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

/// What is trained. All spans stay where they are.
class Parameters {
 public:
  virtual ~Parameters() = default;
  virtual std::span<const Variable> variables() const = 0;
  virtual std::span<float> weights() = 0;
  virtual std::span<float> gradients() = 0;
  /// What is kept but not trained: running means and variances.
  virtual std::span<float> statistics() = 0;

  /// Called with a variable's index when its gradient is complete, once for each variable in a
  /// backward pass, on the thread that runs it; from then on the gradient may be changed.
  using Ready = std::function<void(std::size_t variable)>;
  virtual void on_ready(Ready ready) = 0;
};

/// Parameters together with what is done with them.
class Replica : public Parameters {
 public:
  /// Called with a variable's index before the forward pass of learn() uses it, on the thread that
  /// runs it: until then its weight may still be changed. Null: nobody is told.
  using Need = std::function<void(std::size_t variable)>;
  virtual void on_need(Need need) = 0;

  /// Forward and backward: adds the gradient of `scale` x (sum of the samples' losses) to
  /// gradients(). Throws Error(usage) if the samples do not fit the model.
  virtual BatchResult learn(const Samples& samples, float scale) = 0;

  /// Forward only, with the running statistics.
  virtual BatchResult evaluate(const Samples& samples) = 0;
};

}  // namespace arlab::training
