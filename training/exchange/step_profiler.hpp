// StepProfiler: measures the times that profile-guided schedulers need: the passes of each
// variable, and an allreduce by size.
#pragma once

#include <vector>

#include "collectives/clock.hpp"
#include "training/exchange/route.hpp"
#include "training/replica/device_math.hpp"
#include "training/schedulers/profile.hpp"

namespace arlab::training {

/// Profiles the steps of one rank. The least time of each pass counts: in the first steps,
/// libraries start and caches fill.
class StepProfiler {
 public:
  StepProfiler(collectives::Clock& clock, std::size_t variables)
      : clock_(&clock), step_(variables), least_(variables) {}

  void start_step();
  /// Announces that the forward pass is about to use the variable.
  void need(std::size_t variable);
  /// Announces that the variable's gradient is ready; the next time interval begins at resume().
  void ready(std::size_t variable);
  void resume() { last_ = clock_->now(); }
  int steps() const { return steps_; }

  /// Sets the profile's times to those of the slowest rank, for which all others wait. Every rank
  /// calls it after the same number of steps.
  void agree(collectives::Communicator& communicator, Profile& profile);

 private:
  struct Seconds {
    double forward = 0, backward = 0;
  };
  double lap();
  void end_step();

  collectives::Clock* clock_;
  std::vector<Seconds> step_, least_;  // by variable: of this step, and of all before
  int steps_ = 0, ended_ = 0;
  double last_ = 0;           // time of the last call
  std::size_t variable_ = 0;  // variable of the last need()
  bool forward_ = true;
};

/// Measures a small and a large allreduce by the route, the best of a few each. Every rank calls it
/// and gets the same result. `math`: of the device whose memory the vectors lie in; null: the
/// host's.
LinkCost measured_link(collectives::Communicator& communicator, const Route& route,
                       const DeviceMath* math = nullptr);

}  // namespace arlab::training
