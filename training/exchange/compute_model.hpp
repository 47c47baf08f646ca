// ComputeModel: the duration of computation that this machine does not do, or not in that time.
//
// In simulated time, a variable's forward pass takes as long as its multiply-adds at a given speed,
// and its backward pass twice as long; on the machine's clock that has no effect. A replay has
// given times, and sleeps for them on the machine's clock.
#pragma once

#include <span>
#include <vector>

#include "collectives/clock.hpp"
#include "training/replica/replica.hpp"

namespace arlab::training {

/// Seconds of a variable's passes.
struct PassTime {
  double forward = 0, backward = 0;
};

class ComputeModel {
 public:
  /// speed: multiply-adds per second; 0: computation takes no time.
  ComputeModel(collectives::Clock& clock, std::span<const Variable> variables, double speed);
  /// Replays passes of these times, by variable, whatever the samples. It sleeps for them if the
  /// time of the clock passes by itself, as that of the machine's does.
  ComputeModel(collectives::Clock& clock, std::vector<PassTime> passes);
  ComputeModel(collectives::Clock& clock, std::vector<PassTime> passes, bool sleeps);

  /// Begins a forward and a backward pass of the given number of samples. announces_backward: calls
  /// need_backward() before each variable's backward pass; else it follows the one before at once.
  void begin(Count samples, bool announces_backward = false);
  /// Between two of these calls the worker computes. Each calls `use` at the time of the call.
  template <class Use>
  void need(std::size_t variable, Use use) {
    end_compute();
    use();
    compute_after_need(variable);
  }
  template <class Use>
  void need_backward(std::size_t variable, Use use) {
    end_compute();
    use();
    compute_after_announcement(variable);
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
  void compute_after_announcement(std::size_t variable);
  void compute_after_ready(std::size_t variable);
  double forward(std::size_t variable) const { return scale_ * passes_[variable].forward; }
  double backward(std::size_t variable) const { return scale_ * passes_[variable].backward; }

  collectives::Clock& clock_;
  double speed_ = 0;
  bool replays_, sleeps_ = false;
  std::vector<PassTime> passes_;    // by variable; in multiply-adds unless it replays
  std::vector<std::size_t> order_;  // order of the gradients in the last backward pass
  std::vector<bool> announced_;     // variables whose backward pass may begin
  double scale_ = 0;                // seconds per unit of `passes_`
  double until_ = 0;                // end of the sleep
  double late_ = 0;                 // by how much the last sleep ended late
  std::size_t needed_ = 0, ready_ = 0;
  bool away_ = false;
};

}  // namespace arlab::training
