// ComputeModel: the duration of computation in simulated time. A variable's forward pass takes as long
// as its multiply-adds at a given speed; its backward pass takes twice as long.
//
// It has no effect on the machine's clock.
#pragma once

#include <span>
#include <vector>

#include "collectives/clock.hpp"
#include "training/replica/replica.hpp"

namespace arlab::training {

class ComputeModel {
 public:
  /// speed: multiply-adds per second; 0: computation takes no time.
  ComputeModel(collectives::Clock& clock, std::span<const Variable> variables, double speed);

  /// Begins a forward and a backward pass of the given number of samples.
  void begin(Count samples);
  /// Between two of these calls the worker computes. Each calls `use` at the simulated time of the
  /// call.
  template <class Use>
  void need(std::size_t variable, Use use) {
    end_compute();
    use();
    compute_after_need(variable);
  }
  template <class Use>
  void ready(std::size_t variable, Use use) {
    end_compute();
    use();
    compute_after_ready(variable);
  }

 private:
  void end_compute();
  void begin_compute(double seconds);
  void compute_after_need(std::size_t variable);
  void compute_after_ready(std::size_t variable);
  double seconds(std::size_t variable) const { return scale_ * work_[variable]; }

  collectives::Clock& clock_;
  double speed_;
  std::vector<double> work_;        // by variable
  std::vector<std::size_t> order_;  // order of the gradients in the last backward pass
  double scale_ = 0;                // seconds per multiply-add
  std::size_t needed_ = 0, ready_ = 0;
  bool away_ = false;
};

}  // namespace arlab::training
