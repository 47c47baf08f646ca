// GradientExchange: sums the gradients of a replica over all ranks, as a scheduler and a compressor
// determine.
//
// A layer of the scheduler is a variable. For a profile-guided scheduler the first steps run first
// in, first out while they are profiled; then all ranks agree on the times and switch.
//
// Each compressed unit has its own compressor. Units keep their shapes: they are bundles if bundles
// are fixed from the beginning, else slices. A unit's gradient is scaled up to that of a worker's
// own batch before encoding; the result is still the sum.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "training/exchange/code_exchange.hpp"
#include "training/exchange/device_gradients.hpp"
#include "training/exchange/step_profiler.hpp"

namespace arlab::training {

class GradientExchange {
 public:
  /// Every rank makes one. Exchange and parameters must outlive it. Throws Error(usage) if
  /// scheduler, compressor, route and the place of the gradients do not fit together.
  GradientExchange(Exchange& exchange, Parameters& parameters, const GradientOptions& options);
  /// Stops the exchange, which may be running transmit().
  ~GradientExchange() { exchange_.stop(); }
  GradientExchange(const GradientExchange&) = delete;
  GradientExchange& operator=(const GradientExchange&) = delete;

  /// No collective may be in progress.
  void start_step(Count step);
  /// Announces that a forward pass is about to use the variable; only the profiler needs it.
  void need(std::size_t variable);
  /// Announces that the variable's gradient is complete.
  void ready(std::size_t variable);
  /// Returns when the variable's gradient is the sum over all ranks.
  void wait_for(std::size_t variable) { exchange_.wait_for(static_cast<int>(variable)); }
  void wait_for_all() { exchange_.wait_for_all(); }
  /// Returns whether the next forward pass waits for all gradients, not just for each layer's own.
  bool barrier() const { return kind_.barrier || profiler_; }

  /// The state that must survive from step to step, by name. No collective may be in progress.
  using State = std::map<std::string, std::vector<std::byte>>;
  State state();
  /// Call before the first step.
  void restore(State state) { restored_ = std::move(state); }

 private:
  using UnitKey = std::pair<int, int>;  // first variable, number of its slice
  struct Unit {
    std::vector<Slice> slices;
    Aggregator aggregator;
  };

  void begin(const SchedulerKind& kind, const Profile& profile, const LinkCost& link,
             const Values& values);
  void transmit(const Bundle& bundle);
  void run_on_device(std::span<const Slice> slices, const DeviceGradients::Run& run);
  void compress(const CollectiveId& id, std::span<const Slice> slices, std::span<float> data);
  void compress_on_device(const CollectiveId& id, std::span<const Slice> slices);
  void expect_finite_on_device(std::span<const Slice> slices, std::span<const float> there,
                               Count step) const;
  Unit& unit_of(std::span<const Slice> slices, int slice, collectives::Communicator& c);
  std::string name_of(const UnitKey& key) const;
  std::span<float> part(const Slice& slice) const;

  Exchange& exchange_;
  Parameters& parameters_;
  const GradientOptions options_;
  const SchedulerKind& kind_;
  std::optional<DeviceGradients> on_device_;
  std::optional<CodeExchange> codes_;
  bool whole_bundles_;                    // a unit is a bundle, else a slice
  std::optional<StepProfiler> profiler_;  // of the first steps, for profile-guided schedulers
  Count step_ = 0;
  std::vector<Count> step_of_;  // by variable: step of the gradient in progress
  std::vector<int> slices_of_;  // by variable: slices transmitted in that step
  std::vector<float> packed_;   // copy of a bundle whose variables are not neighbors
  std::map<UnitKey, Unit> units_;
  State restored_;
};

}  // namespace arlab::training
