// Pace: what computing takes in virtual time: a variable's forward pass as long as its
// multiply-adds take at a given speed, its backward pass twice that.
//
// On the machine's clock, where computing takes what it takes, it does nothing.
#pragma once

#include <span>
#include <vector>

#include "collectives/clock.hpp"
#include "training/replica/replica.hpp"

namespace arlab::training {

class ComputeModel {
 public:
  /// speed: multiply-adds a second; 0: computing takes no time.
  ComputeModel(collectives::Clock& clock, std::span<const Variable> variables, double speed);

  /// A forward and a backward pass begin, for so many samples.
  void begin(Count samples);
  /// Between this and the next word of this pass, the worker computes. What is done in `use` is
  /// done at the time of the word.
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
  std::vector<std::size_t> order_;  // in which gradients became ready the last time
  double scale_ = 0;                // seconds a multiply-add
  std::size_t needed_ = 0, ready_ = 0;
  bool away_ = false;
};

}  // namespace arlab::training
