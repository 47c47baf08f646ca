// GradientExchange: the gradients of a replica, summed over all ranks as a scheduler and a
// compressor say.
//
// A layer of the scheduler is a variable. Where a scheduler is made from times, the first steps
// travel first in, first out, and are watched; then all ranks agree on the times and begin anew.
//
// Compressed, a unit that keeps its shape has a compressor of its own: a bundle where bundles are
// fixed from the beginning, else a slice. A unit's gradient is scaled up to that of a worker's own
// batch before it is encoded, and what comes back is the sum all the same.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "training/compressors/aggregate.hpp"
#include "training/exchange/collective_queue.hpp"
#include "training/exchange/gradient_options.hpp"
#include "training/exchange/step_profiler.hpp"

namespace arlab::training {

class GradientExchange {
 public:
  /// Every rank makes one. Exchange and parameters outlive it. Throws Error(usage) where scheduler,
  /// compressor and route do not fit together.
  GradientExchange(Exchange& exchange, Parameters& parameters, const GradientOptions& options);
  /// Ends the exchange, which may be amid a carry.
  ~GradientExchange() { exchange_.stop(); }
  GradientExchange(const GradientExchange&) = delete;
  GradientExchange& operator=(const GradientExchange&) = delete;

  /// Nothing may be under way.
  void start_step(Count step);
  /// The variable is about to be used in a forward pass; for the watch only.
  void need(std::size_t variable);
  /// The variable's gradient is complete.
  void ready(std::size_t variable);
  /// On return the variable's gradient is the sum over all ranks.
  void wait_for(std::size_t variable) { exchange_.wait_for(static_cast<int>(variable)); }
  void wait_for_all() { exchange_.wait_for_all(); }
  /// Whether the next forward pass waits for all gradients, not for each layer's own.
  bool barrier() const { return kind_.barrier || watch_; }

  /// What has to survive from step to step, by name; nothing may be under way.
  using State = std::map<std::string, std::vector<std::byte>>;
  State state();
  /// Before the first step.
  void restore(State state) { restored_ = std::move(state); }

 private:
  using UnitKey = std::pair<int, int>;  // first variable, number of its slice
  struct Unit {
    std::vector<Slice> slices;
    std::unique_ptr<Aggregator> aggregator;
  };

  void begin(const SchedulerKind& kind, const Profile& profile, const LinkCost& link,
             const Values& values);
  void carry(const Bundle& bundle);
  void compress(CollectiveId id, std::span<const Slice> slices, std::span<float> data);
  Unit& unit_of(std::span<const Slice> slices, int slice, const collectives::Communicator& c);
  std::string name_of(const UnitKey& key) const;
  std::span<float> part(const Slice& slice);

  Exchange& exchange_;
  Parameters& parameters_;
  const GradientOptions options_;
  const SchedulerKind& kind_;
  std::string way_;     // of codes
  bool whole_bundles_;  // are units
  std::optional<StepProfiler>
      watch_;  // of the first steps, for schedulers that are made from times
  Count step_ = 0;
  std::vector<Count> step_of_;  // by variable: of the gradient that is under way
  std::vector<int> slices_of_;  // by variable: slices carried in that step
  std::vector<float> packed_;   // a bundle whose variables are not neighbours
  std::map<UnitKey, Unit> units_;
  State restored_;
};

}  // namespace arlab::training
